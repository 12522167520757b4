//! `jamboree manual`: writes the man pages and shell completions of a release.

use crate::failure::Failure;
use clap::{Args, Command};
use clap_complete::Shell;
use jamboree_io::{outln, write_file};
use std::path::{Path, PathBuf};

/// Write man pages and shell completions, from the same text as --help
///
/// `man/` gets a page for the program and one for each command, `completions/` one file for each shell.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The folder; it is made if it is not there
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
}

const SHELLS: [Shell; 3] = [Shell::Bash, Shell::Zsh, Shell::Fish];

pub(crate) fn run(arguments: &Arguments, command: Command) -> Result<(), Failure> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let (pages, completions) = (arguments.out.join("man"), arguments.out.join("completions"));
    make_folder(&pages)?;
    make_folder(&completions)?;
    let count = write_pages(&command, &pages)?;
    for shell in SHELLS {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut command, "jamboree", &mut text);
        let name = clap_complete::Generator::file_name(&shell, "jamboree");
        write_file(&completions.join(name), &text)?;
    }
    outln!("{count} man pages and the completions of {} shells in '{}'", SHELLS.len(), arguments.out.display())?;
    Ok(())
}

fn make_folder(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("cannot make the folder '{}': {error}", folder.display()))
}

/// Writes the page of a command and those of the commands below it, as in `jamboree-lab-race.1`; how many.
fn write_pages(command: &Command, folder: &Path) -> Result<usize, Failure> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    // A page shows the version in one line at its foot.
    let page = command.clone().version(env!("CARGO_PKG_VERSION")).long_version(None::<&str>);
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    write_file(&folder.join(format!("{name}.1")), &text)?;
    let below = command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help");
    below.map(|below| write_pages(below, folder)).try_fold(1, |sum, count| Ok(sum + count?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_command_has_a_page_and_every_shell_its_completions() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("new");
        run(&Arguments { out: out.clone() }, crate::Arguments::command()).unwrap();
        let page = |name: &str| std::fs::read_to_string(out.join("man").join(name)).unwrap();
        assert!(page("jamboree.1").contains("speaks UCI") && page("jamboree-lab-race.1").contains("SYNOPSIS"));
        assert!(!page("jamboree.1").contains("manual") && !page("jamboree.1").contains("jamboree\\-help"));
        assert!(!out.join("man/jamboree-manual.1").exists());
        for name in ["jamboree.bash", "_jamboree", "jamboree.fish"] {
            let text = std::fs::read_to_string(out.join("completions").join(name)).unwrap();
            assert!(text.contains("bench"), "{name}");
        }
    }

    #[test]
    fn a_folder_that_can_not_be_made_is_told() {
        let error = run(&Arguments { out: "/dev/null/x".into() }, crate::Arguments::command()).unwrap_err().to_string();
        assert!(error.starts_with("cannot make the folder '/dev/null/x/man'") && !error.contains('\n'), "{error}");
    }
}
