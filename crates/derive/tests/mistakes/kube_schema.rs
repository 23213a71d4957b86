use pintle_derive::KubeSchema;

#[derive(KubeSchema)]
#[x_kube(crates(kube_core = "::kube::core"))]
struct WrongRules {
    #[x_kube(validaton = "self > 0")]
    replicas: i32,
    #[x_kube(merge_strategy = ListType::Sett)]
    ports: Vec<u16>,
}
