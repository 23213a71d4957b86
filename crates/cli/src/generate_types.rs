//! `pintle types`: definitions from files and clusters in, Rust source out.

use std::io::Read;
use std::path::Path;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle::Client;
use pintle::api::{Api, ApiResource, DynamicObject};
use pintle_types::{Generator, Maps, SchemaSource};

use crate::args::{SchemaChoice, TypesArgs};
use crate::failure::Failure;
use crate::narrator::Narrator;

pub(crate) async fn run(args: TypesArgs, narrator: &Narrator) -> Result<(), Failure> {
    let wrong = |error| Failure::new("no types were generated", error);
    let mut generator = with_options(Generator::new(), &args);
    for file in &args.files {
        generator = if file == Path::new("-") {
            generator.definitions("standard input", &standard_input()?).map_err(wrong)?
        } else {
            generator.file(file).map_err(wrong)?
        };
    }
    for (name, definition) in from_cluster(&args.from_cluster).await? {
        generator = generator.definitions(&name, &definition).map_err(wrong)?;
    }
    match &args.output {
        Some(file) => generator.write(file).map_err(wrong),
        None => {
            narrator.announce(generator.generate().map_err(wrong)?.trim_end());
            Ok(())
        }
    }
}

fn with_options(mut generator: Generator, args: &TypesArgs) -> Generator {
    if let Some(version) = &args.crd_version {
        generator = generator.version(version);
    }
    if args.all_versions {
        generator = generator.all_versions();
    }
    if args.hash_map {
        generator = generator.maps(Maps::HashMap);
    }
    if args.well_known_types {
        generator = generator.well_known_types();
    }
    if args.no_docs {
        generator = generator.without_docs();
    }
    generator = generator.crate_name(&args.crate_name).schema(match args.schema {
        SchemaChoice::None => SchemaSource::None,
        SchemaChoice::Original => SchemaSource::Original,
        SchemaChoice::Derived => SchemaSource::Derived,
    });
    generator = args.derive.iter().fold(generator, Generator::derive);
    generator = args.types.iter().fold(generator, |generator, (path, type_)| generator.type_at(path, type_));
    args.elide.iter().fold(generator, Generator::elide)
}

fn standard_input() -> Result<String, Failure> {
    let mut text = String::new();
    let read = std::io::stdin().lock().read_to_string(&mut text);
    read.map_err(|error| Failure::new("cannot read standard input", error))?;
    Ok(text)
}

/// The named definitions as JSON, read with everything in them and not only what our types know.
async fn from_cluster(names: &[String]) -> Result<Vec<(String, String)>, Failure> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let client = Client::try_default().await.map_err(|error| Failure::new("cannot reach a cluster", error))?;
    let resource = ApiResource::erase::<CustomResourceDefinition>(&());
    let api: Api<DynamicObject> = Api::all_with(client, &resource);
    let mut definitions = Vec::new();
    for name in names {
        let cannot =
            || format!("cannot read the definition {name} (its name is the plural and the group: kubectl get crd)");
        let definition = api.get(name).await.map_err(|error| Failure::new(cannot(), error))?;
        let text = serde_json::to_string(&definition).map_err(|error| Failure::new(cannot(), error))?;
        definitions.push((format!("the cluster's {name}"), text));
    }
    Ok(definitions)
}
