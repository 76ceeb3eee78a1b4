//! Recipes of images, compositions, manifests, units and proxies, judged by the tools of their
//! trade.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::tools::{good, program, tool};
use super::{documents, path, read, yaml};

#[test]
fn hadolint_finds_nothing_wrong_with_the_image() {
    good(tool("hadolint").arg(path("deploy/Dockerfile")));
}

#[test]
fn the_image_is_built_from_what_the_dockerignore_lets_through() {
    let patterns = read(".dockerignore");
    let let_through: BTreeSet<&str> =
        patterns.lines().filter_map(|line| line.strip_prefix('!')).collect();
    let folder = TempDir::new().unwrap();
    for name in let_through.iter().filter(|name| path(name).exists()) {
        let copied = Command::new("cp").arg("-r").arg(path(name)).arg(folder.path()).status();
        assert!(copied.unwrap().success());
    }
    // Whatever lies about in the folders above is none of its business.
    let manifest = read("Cargo.toml") + "\n[workspace]\n";
    fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    // Whether the files that cargo and the compiler are told of are all there; building takes
    // minutes.
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let arguments = ["metadata", "--format-version=1", "--locked", "--offline", "--no-deps"];
    good(Command::new(cargo).args(arguments).current_dir(folder.path()));
    for name in ["askama.toml", "build.rs", "templates"] {
        let is_read = path(name).exists();
        assert!(!is_read || let_through.contains(name), "the build reads {name}");
    }
    let mut folders = vec![path("src")];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                included(&entry, &let_through);
            }
        }
    }
}

/// Holds that what a file includes outside of its tests is let through.
fn included(file: &Path, let_through: &BTreeSet<&str>) {
    if file.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests")) {
        return;
    }
    let text = fs::read_to_string(file).unwrap();
    let text = text.split("#[cfg(test)]").next().unwrap();
    for macro_name in ["include_str!(\"", "include_bytes!(\""] {
        for rest in text.split(macro_name).skip(1) {
            let relative = rest.split('"').next().unwrap();
            let target = file.parent().unwrap().join(relative).canonicalize().unwrap();
            let inside = target.strip_prefix(path("").canonicalize().unwrap()).unwrap();
            let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
            assert!(let_through.contains(first), "{} includes {first}", file.display());
        }
    }
}

#[test]
fn compose_is_of_its_schema_and_every_service_is_walled_in() {
    let file = path("deploy/compose/compose.yaml");
    good(tool("check-jsonschema").args(["--builtin-schema", "vendor.compose-spec"]).arg(file));
    let compose = yaml("deploy/compose/compose.yaml");
    for (name, service) in compose["services"].as_object().unwrap() {
        let hardened = &compose["x-hardened"];
        let of = |key: &str| {
            let own = &service[key];
            if own.is_null() { hardened[key].clone() } else { own.clone() }
        };
        assert_eq!(of("read_only"), Value::Bool(true), "{name}");
        assert_eq!(of("cap_drop"), serde_json::json!(["ALL"]), "{name}");
        assert_eq!(of("security_opt"), serde_json::json!(["no-new-privileges:true"]), "{name}");
        assert!(service["mem_limit"].is_string(), "{name} has no limit of memory");
        let image = service["image"].as_str().unwrap();
        let tag = image.rsplit_once(':').unwrap_or_else(|| panic!("{name} has no tag")).1;
        assert!(tag.contains(|c: char| c.is_ascii_digit()), "{name} is not pinned: {tag}");
        let is_ours = service["build"].is_object();
        assert!(is_ours || service["healthcheck"].is_object(), "{name} has no health check");
        for mount in service["volumes"].as_array().into_iter().flatten() {
            let source = mount.as_str().unwrap().split(':').next().unwrap();
            let is_there = path("deploy/compose").join(source).exists();
            assert!(!source.starts_with('.') || is_there, "{name} mounts {source}");
        }
    }
    assert!(read("deploy/Dockerfile").contains("HEALTHCHECK"), "the image of the gateway has it");
}

#[test]
fn the_secrets_of_compose_are_made_once_and_closed_to_others() {
    let folder = TempDir::new().unwrap();
    fs::copy(path("deploy/compose/up"), folder.path().join("up")).unwrap();
    let make = || {
        let mut up = Command::new(folder.path().join("up"));
        good(up.args(["feeds.example.org", "--secrets-only"]));
    };
    make();
    let secrets = folder.path().join("secrets");
    assert_eq!(fs::metadata(&secrets).unwrap().permissions().mode() & 0o777, 0o700);
    let compose = yaml("deploy/compose/compose.yaml");
    let wanted = compose["secrets"].as_object().unwrap();
    let read = |name: &str| fs::read_to_string(secrets.join(name)).unwrap();
    let first: Vec<_> = wanted.keys().map(|name| read(name)).collect();
    assert!(read("store_url").contains(read("database_password").trim()));
    assert_eq!(read("access_keys").trim().len(), 64);
    make();
    assert_eq!(wanted.keys().map(|name| read(name)).collect::<Vec<_>>(), first);
    let environment = fs::read_to_string(folder.path().join(".env")).unwrap();
    assert_eq!(environment, "MMSP_GATEWAY_NAME=feeds.example.org\n");
}

#[test]
fn kustomize_builds_both_overlays_and_their_objects_are_of_their_schemas() {
    for (overlay, kinds) in [
        (
            "single",
            vec![
                "ConfigMap",
                "Deployment",
                "NetworkPolicy",
                "PersistentVolumeClaim",
                "Service",
                "ServiceAccount",
            ],
        ),
        (
            "production",
            vec![
                "ConfigMap",
                "Deployment",
                "HorizontalPodAutoscaler",
                "NetworkPolicy",
                "PodDisruptionBudget",
                "PrometheusRule",
                "Service",
                "ServiceAccount",
                "ServiceMonitor",
            ],
        ),
    ] {
        let folder = path("deploy/kubernetes/overlays").join(overlay);
        let text = good(tool("kubectl").arg("kustomize").arg(folder));
        let objects = documents(&text);
        let mut found: Vec<_> = objects.iter().map(|it| it["kind"].as_str().unwrap()).collect();
        found.sort_unstable();
        assert_eq!(found, kinds, "{overlay}");
        let file = tempfile::NamedTempFile::with_suffix(".yaml").unwrap();
        fs::write(file.path(), &text).unwrap();
        good(tool("kubernetes-validate").arg("--strict").arg(file.path()));
        let object = |kind: &str| objects.iter().find(|it| it["kind"] == kind);
        let deployment = object("Deployment").unwrap();
        let pod = &deployment["spec"]["template"]["spec"];
        let container = &pod["containers"][0];
        assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
        assert_eq!(container["securityContext"]["readOnlyRootFilesystem"], true);
        assert!(container["resources"]["limits"]["memory"].is_string());
        // The drain delay, the drain's limit, and a little.
        assert!(pod["terminationGracePeriodSeconds"].as_u64().unwrap() >= 3 + 22);
        let names = |ports: &Value, key: &str| -> Vec<String> {
            let ports = ports.as_array().unwrap().iter();
            ports.map(|port| port[key].as_str().unwrap().to_owned()).collect()
        };
        let service = &object("Service").unwrap()["spec"];
        let ports = names(&container["ports"], "name");
        assert_eq!(names(&service["ports"], "targetPort"), ports);
        assert_eq!(service["selector"], deployment["spec"]["selector"]["matchLabels"]);
        if let Some(monitor) = object("ServiceMonitor") {
            let port = monitor["spec"]["endpoints"][0]["port"].as_str().unwrap();
            assert!(names(&service["ports"], "name").iter().any(|name| name == port));
        }
        for (probe, path) in [("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")] {
            assert_eq!(container[probe]["httpGet"]["path"], path);
        }
    }
}

#[test]
fn caddy_takes_both_of_its_files() {
    for file in ["deploy/Caddyfile", "deploy/compose/Caddyfile"] {
        let home = TempDir::new().unwrap();
        let arguments = ["validate", "--adapter", "caddyfile", "--config"];
        let mut caddy = tool("caddy");
        caddy.args(arguments).arg(path(file)).env("HOME", home.path());
        good(caddy.env("MMSP_GATEWAY_NAME", "feeds.example.org"));
    }
}

#[test]
fn systemd_takes_the_unit_and_finds_it_little_exposed() {
    let folder = TempDir::new().unwrap();
    let unit = folder.path().join("mmsp-gateway.service");
    let text = read("deploy/mmsp-gateway.service");
    let installed = text.replace("/usr/bin/mmsp-gateway", program().to_str().unwrap());
    fs::write(&unit, installed).unwrap();
    let said = good(tool("systemd-analyze").args(["verify", "--man=no"]).arg(&unit));
    assert!(!said.contains("mmsp-gateway.service:"), "{said}");
    // Ten times the level that it gives itself: 10 is an open door.
    let mut judge = tool("systemd-analyze");
    good(judge.args(["security", "--offline=true", "--threshold=15"]).arg(&unit));
}

/// The blocks of YAML in a text, in their order.
fn blocks(text: &str) -> Vec<&str> {
    let blocks = text.split("```yaml\n").skip(1);
    blocks.map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn what_the_readme_of_deploy_says_to_write_is_right() {
    let text = read("deploy/README.md");
    let [scraping, overlay] = blocks(&text)[..] else { panic!("two blocks are tried here") };
    let folder = TempDir::new().unwrap();
    let config = folder.path().join("prometheus.yml");
    fs::write(&config, scraping).unwrap();
    fs::copy(path("deploy/prometheus/rules.yaml"), folder.path().join("mmsp-gateway.yaml"))
        .unwrap();
    let said = good(tool("promtool").args(["check", "config"]).arg(config));
    assert!(said.contains("rules found"), "{said}");

    symlink(path(""), folder.path().join("mmsp-gateway")).unwrap();
    let own = folder.path().join("own");
    fs::create_dir(&own).unwrap();
    fs::write(own.join("kustomization.yaml"), overlay).unwrap();
    let objects = good(tool("kubectl").arg("kustomize").arg(own));
    for set in ["image: registry.example.org/mmsp-gateway:", "https://feeds.your-domain.example"] {
        assert!(objects.contains(set), "{objects}");
    }
}
