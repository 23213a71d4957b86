//! The source for definitions in the shape of those that people use, as it is in `generated/`.
//!
//! `PINTLE_BLESS=1` writes these files again; read the difference before you commit it.

use std::fs;
use std::path::{Path, PathBuf};

use pintle_types::{Generator, Maps, SchemaSource};

#[test]
fn the_source_of_every_definition_is_the_one_that_the_stories_compile() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let definitions = definitions(&tests.join("definitions"));
    assert!(definitions.len() >= 15, "{definitions:?}");
    for definition in definitions {
        let name = definition.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        let generator = Generator::new().file(&definition).unwrap_or_else(|error| panic!("{error}"));
        let source = with_options(generator, &name).generate().unwrap_or_else(|error| panic!("{error}"));
        let expected = tests.join(format!("generated/{name}.rs"));
        if std::env::var_os("PINTLE_BLESS").is_some() {
            fs::write(&expected, &source).expect("the file can be written");
        }
        let expected = fs::read_to_string(&expected).unwrap_or_default();
        assert!(source == expected, "{name} (PINTLE_BLESS=1 accepts the new source)\n{source}");
    }
}

/// Each of the ways to generate is compiled for some definition.
fn with_options(generator: Generator, name: &str) -> Generator {
    match name {
        "gadget" => generator.schema(SchemaSource::Derived).maps(Maps::HashMap),
        "machine" => generator.all_versions().schema(SchemaSource::Original),
        "service_monitor" => generator.well_known_types().schema(SchemaSource::Original).derive("Eq"),
        _ => generator.schema(SchemaSource::Original),
    }
}

fn definitions(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).expect("the folder can be read").flatten().map(|entry| entry.path());
    let mut definitions: Vec<_> = files.filter(|path| path.extension().is_some_and(|it| it == "yaml")).collect();
    definitions.sort();
    definitions
}
