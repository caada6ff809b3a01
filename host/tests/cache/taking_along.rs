//! `export` and `import`.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::home::{DAY, Home, Put, put};

fn some() -> Vec<Put<'static>> {
    vec![
        put("Sign in", "로그인"),
        put("a\u{1}\r\n\t\"<b>\" & c\u{fffe}", "\u{0} ]]> \u{1f600}\r"),
        Put { marked: true, ..put("<1>a &lt; b</1> <2/>", "<2/> <1>가 &amp; 나</1>") },
        Put { terms: true, marked: true, ..put("<1>word</1>", "<1>말</1>") },
        Put { terms: true, ..put("no tags", "없음") },
        Put { site: None, languages: ("und", "pt-BR"), day: DAY + 9, ..put("und", "x") },
        Put { engine: "gemini|h\\|\\\\:1|m\u{2}%|p7|formal", ..put("engine", "x") },
    ]
}

#[test]
fn an_export_in_an_empty_cache_exports_the_same_bytes() {
    let home = Home::with(&some());
    for format in ["jsonl", "tmx"] {
        let export = home.cache(&["export", "--format", format]).good();
        let other = Home::new();
        let told = other.cache_with(&["import"], export.as_bytes()).good();
        assert!(told.starts_with("Imported 7 entries: 7 new, 0 in the place of others; 0 already"));
        assert_eq!(other.cache(&["export", "--format", format]).good(), export);
        assert_eq!(other.cache(&["list", "--json"]).good(), home.cache(&["list", "--json"]).good());
        assert!(other.cache(&["verify"]).good().contains("in order: 7 entries"));
    }
}

#[test]
fn what_was_imported_is_not_asked_for_again() {
    use crate::browser::{Home, serve};
    let server = serve(scripted_provider::Script::default());
    let (from, to) = (Home::at(&server, "openai"), Home::at(&server, "openai"));
    let run = |home: &Home, words: &[&str], input: &str| {
        let mut command = crate::home::command(home.dir.path(), words);
        if words[0] == "translate" {
            command = Command::new(env!("CARGO_BIN_EXE_webtranslator"));
            command.args(words).env("WEBTRANSLATOR_HOME", home.dir.path());
            command.envs(home.environment.iter().map(|(name, value)| (name, value)));
        }
        crate::home::run(command, input.as_bytes()).good()
    };
    let translation = run(&from, &["translate", "--to", "ko"], "A line of text\n");
    for format in ["jsonl", "tmx"] {
        run(&to, &["import"], &run(&from, &["export", "--format", format], ""));
        assert_eq!(run(&to, &["translate", "--to", "ko"], "A line of text\n"), translation);
        run(&to, &["clear", "--all"], "");
    }
    assert_eq!(server.calls().len(), 1);
}

#[test]
fn what_is_there_is_replaced_by_newer_entries_only() {
    let export = |translation, day| {
        let home = Home::with(&[Put { day, ..put("a", translation) }]);
        home.cache(&["export"]).good()
    };
    let home = Home::with(&[put("a", "there")]);
    let there = || home.cache(&["list"]).good();
    let import = |words: &[&str], text: &str| {
        home.cache_with(&[&["import"], words].concat(), text.as_bytes()).good()
    };
    let (same, newer) = (export("same day", DAY), export("newer", DAY + 1));
    assert!(import(&[], &same).contains("0 new, 0 in the place of others; 1 already there"));
    assert!(there().contains("    there\n"));
    assert!(import(&["--dry-run"], &newer).starts_with("Would import 1 entry: 0 new, 1 in the"));
    assert!(there().contains("    there\n"), "nothing was done");
    assert!(import(&[], &newer).contains("1 in the place of others; 0 already there"));
    assert!(there().contains("    newer\n"));
    assert!(import(&["--dry-run", "--replace"], &same).contains("0 new, 1 in the place"));
    assert!(import(&["--replace"], &same).contains("0 new, 1 in the place of others"));
    assert!(there().contains("    same day\n"));
}

#[test]
fn a_dry_run_makes_nothing() {
    let export = Home::with(&some()).cache(&["export"]).good();
    let home = Home::new();
    let told = home.cache_with(&["import", "--dry-run"], export.as_bytes()).good();
    assert!(told.starts_with("Would import 7 entries: 7 new"), "{told}");
    assert_eq!(home.files(), []);
}

#[test]
fn what_is_refused_is_told_with_its_line_and_the_rest_is_taken() {
    let export = Home::with(&some()).cache(&["export"]).good();
    let mut lines: Vec<&str> = export.lines().collect();
    let changed = lines[2].replace("\"source\":\"", "\"source\":\"x");
    lines[2] = &changed;
    lines.insert(4, "not JSON");
    let home = Home::new();
    let told = home.cache_with(&["import"], lines.join("\n").as_bytes());
    assert!(told.out.starts_with("Imported 6 entries: 6 new"), "{told:?}");
    assert!(told.out.contains("2 refused"), "{told:?}");
    let complaints = told.bad();
    let complaints: Vec<&str> = complaints.lines().collect();
    assert_eq!(complaints.len(), 2, "{complaints:?}");
    assert!(complaints[0].contains("line 3: its key does not fit"), "{complaints:?}");
    assert!(complaints[1].contains("line 5: it is no JSON"), "{complaints:?}");
}

#[test]
fn a_memory_of_another_program_is_kept_apart() {
    let tmx = "<tmx version=\"1.4\"><header srclang=\"en\"/><body><tu>\
               <tuv xml:lang=\"en\"><seg>Load order</seg></tuv>\
               <tuv xml:lang=\"ko\"><seg>불러오기 순서</seg></tuv></tu></body></tmx>";
    let home = Home::new();
    let told = home.cache_with(&["import"], tmx.as_bytes()).good();
    assert!(told.contains("1 entry of no engine: kept as of the engine `import`"), "{told}");
    let listed = home.cache(&["list", "--kind", "import"]).good();
    assert!(listed.contains("en>ko  import|||p0|  any site\n    Load order\n"), "{listed}");
    assert!(home.cache(&["verify"]).good().contains("in order: 1 entry."));
    let told = home.cache_with(&["import"], tmx.as_bytes()).good();
    assert!(told.contains("1 already there"), "{told}");
}

#[test]
fn a_file_is_the_readers_alone_and_only_what_fits_is_in_it() {
    let home = Home::with(&some());
    let file = home.path("memory.tmx");
    let name = file.to_str().unwrap();
    std::fs::write(&file, "old").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let told = home.cache(&["export", "--pair", "en>ko", name]).good();
    assert_eq!(told, format!("Wrote 6 entries to {name}.\n"));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("<?xml") && !text.contains("pt-BR"), "{text}");
    let other = Home::new();
    assert!(other.cache(&["import", name]).good().starts_with("Imported 6 entries"));

    let target = home.path("target.jsonl");
    std::fs::write(&target, "old").unwrap();
    std::os::unix::fs::symlink(&target, home.path("link")).unwrap();
    home.cache(&["export", home.path("link").to_str().unwrap()]).good();
    assert_eq!(std::fs::read_to_string(&target).unwrap().lines().count(), 7, "a link stays one");
}

#[test]
fn a_pipe_with_a_name_is_written_to_and_stays_one() {
    let home = Home::with(&some());
    let pipe = home.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let from = pipe.clone();
    let reader = std::thread::spawn(move || std::fs::read_to_string(from).unwrap());
    home.cache(&["export", pipe.to_str().unwrap()]).good();
    assert_eq!(reader.join().unwrap(), home.cache(&["export"]).good());
    assert!(!std::fs::metadata(&pipe).unwrap().is_file());
}

#[test]
fn a_large_file_is_not_kept_in_memory() {
    let line = |n: u32| {
        format!(
            "{{\"source\":\"{n} {}\",\"translation\":\"가\",\"source_language\":\"en\",\
             \"target_language\":\"ko\"}}\n",
            "x".repeat(4000)
        )
    };
    let home = Home::new();
    let file = home.path("large.jsonl");
    let text: String = (0..30_000).map(line).collect();
    std::fs::write(&file, text).unwrap();
    // The file is half as large again as all the memory that it may take, its own code included.
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 80000; exec \"$0\" cache import \"$1\""]);
    command.arg(env!("CARGO_BIN_EXE_webtranslator")).arg(&file);
    command.env("WEBTRANSLATOR_HOME", home.path(""));
    let told = crate::home::run(command, b"").good();
    assert!(told.starts_with("Imported 30000 entries: 30000 new"), "{told}");
}
