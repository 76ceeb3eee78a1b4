//! The settings that deployments come with are settings that the program takes.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::tools::{good, program, tool};
use super::{documents, path, read, yaml};

/// The program with nothing but these variables, and files in place of the secrets they name.
fn check(variables: &[(String, String)]) -> String {
    let folder = TempDir::new().unwrap();
    let mut command = Command::new(program());
    command.arg("check").current_dir(folder.path()).env_clear();
    for (name, value) in variables {
        let value = match name.strip_suffix("_FILE") {
            Some(_) => secret(folder.path(), value),
            None => value.clone(),
        };
        command.env(name, value);
    }
    good(&mut command)
}

fn secret(folder: &Path, path: &str) -> String {
    let name = path.rsplit('/').next().unwrap();
    let file = folder.join(name);
    let value = match name {
        "store_url" => "postgres://gateway:secret@database/mmsp",
        _ => "0123456789abcdef0123456789abcdef0123456789abcdef",
    };
    fs::write(&file, value).unwrap();
    file.to_str().unwrap().to_owned()
}

/// The variables of the image: those of the instruction ENV.
fn image() -> Vec<(String, String)> {
    let recipe = read("deploy/Dockerfile").replace("\\\n", " ");
    let lines = recipe.lines().filter_map(|line| line.strip_prefix("ENV "));
    let pairs =
        lines.flat_map(str::split_ascii_whitespace).map(|pair| pair.split_once('=').unwrap());
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn variables(map: &Value) -> Vec<(String, String)> {
    let map = map.as_object().unwrap().iter();
    map.filter(|(name, _)| name.starts_with("MMSP_GATEWAY__"))
        .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
        .collect()
}

#[test]
fn the_image_alone_says_what_it_wants_to_know() {
    let variables = image();
    assert!(variables.len() >= 3, "{variables:?}");
    let output = Command::new(program()).arg("check").env_clear().envs(variables).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    for word in ["server.public_url", "access.mode"] {
        assert!(said.contains(word), "{said}");
    }
}

#[test]
fn the_settings_of_compose_are_good() {
    let compose = yaml("deploy/compose/compose.yaml");
    let mut variables =
        [image(), variables(&compose["services"]["gateway"]["environment"])].concat();
    for (_, value) in &mut variables {
        if let Some((before, rest)) = value.split_once("${MMSP_GATEWAY_NAME") {
            *value = format!("{before}feeds.example.org{}", rest.split_once('}').unwrap().1);
        }
    }
    let said = check(&variables);
    assert!(said.contains("https://feeds.example.org"), "{said}");
}

#[test]
fn the_settings_of_both_overlays_are_good() {
    for overlay in ["single", "production"] {
        let folder = path("deploy/kubernetes/overlays").join(overlay);
        let text = good(tool("kubectl").arg("kustomize").arg(folder));
        let map =
            documents(&text).into_iter().find(|object| object["kind"] == "ConfigMap").unwrap();
        let said = check(&[image(), variables(&map["data"])].concat());
        assert!(said.contains("https://feeds.example.org"), "{said}");
    }
}

#[test]
fn the_settings_file_beside_the_unit_is_good() {
    let file = path("deploy/config.toml");
    good(Command::new(program()).arg("check").arg("--config").arg(file).env_clear());
}

#[test]
fn what_is_deployed_is_this_version() {
    let version = env!("CARGO_PKG_VERSION");
    let compose = yaml("deploy/compose/compose.yaml");
    let image = format!("mmsp-gateway:${{MMSP_GATEWAY_VERSION:-{version}}}");
    assert_eq!(compose["services"]["gateway"]["image"], image);
    let deployment = yaml("deploy/kubernetes/base/deployment.yaml");
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["image"], format!("mmsp-gateway:{version}"));
}
