//! The usual ways to call `bsh`, read without the parser, which takes a tenth of the time of a short command.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;

use crate::cli::flags::Flags;

/// Reads `bsh [--json] [-t D] [--] COMMAND…`; none for whatever else there is, so that the parser has the say.
pub fn read(args: &[OsString]) -> Option<Flags> {
    let mut flags = Flags::default();
    let mut rest = args.get(1..)?;
    loop {
        let (word, more) = rest.split_first()?;
        match word.as_bytes() {
            b"--json" => {
                flags.output.json = true;
                rest = more;
            }
            b"-t" | b"--timeout" => {
                let (duration, more) = more.split_first()?;
                flags.request.timeout = Some(duration.to_str()?.to_owned());
                rest = more;
            }
            b"--" => {
                rest = more;
                break;
            }
            bytes if bytes.starts_with(b"-") => return None,
            _ => break,
        }
    }
    // A second `--` may be the command's or not.
    let plain = !rest.is_empty() && rest.iter().all(|word| word != "--");
    flags.words = rest.to_vec();
    plain.then_some(flags)
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, FromArgMatches as _};

    use super::*;

    fn parsed(args: &[OsString]) -> Flags {
        let matches = Flags::command()
            .try_get_matches_from(args)
            .expect("it is right");
        Flags::from_arg_matches(&matches).expect("it is right")
    }

    #[test]
    fn what_is_read_is_what_the_parser_reads() {
        let read_by_both = [
            "true",
            "--json true",
            "--json -- true",
            "-- -x y",
            "-t 5s ls -la --json",
            "--timeout -1s --json a b",
            "--json --json -t 1s -t 2s x",
            "ls -t 5s",
        ];
        for line in read_by_both {
            let args: Vec<OsString> = ["bsh"]
                .into_iter()
                .chain(line.split(' '))
                .map(Into::into)
                .collect();
            let quick = read(&args).unwrap_or_else(|| panic!("{line} is not read"));
            assert_eq!(
                format!("{quick:?}"),
                format!("{:?}", parsed(&args)),
                "{line}"
            );
        }
        for line in [
            "",
            "-t",
            "-t 5s",
            "--jso true",
            "-x",
            "--json",
            "--",
            "a -- b",
            "--help",
            "--view x",
        ] {
            let args: Vec<OsString> = ["bsh"]
                .into_iter()
                .chain(line.split(' ').filter(|word| !word.is_empty()))
                .map(Into::into)
                .collect();
            assert!(read(&args).is_none(), "{line}");
        }
    }
}
