//! The form of the table of meanings.

const TABLE: &str = include_str!("../../src/meaning/exit-meanings.tsv");

#[test]
fn every_row_is_well_formed() {
    let mut lines = TABLE.lines();
    assert_eq!(lines.next(), Some("command\twhen\tcode\tis_error\tmeaning"));
    for row in lines {
        let fields: Vec<&str> = row.split('\t').collect();
        let [command, when, code, is_error, meaning] = fields.as_slice() else {
            panic!("five fields are needed: {row}");
        };
        assert!(!command.is_empty() && !command.contains(' '), "{row}");
        for mark in when.split_whitespace() {
            let body = mark.strip_prefix('!').unwrap_or(mark);
            let options = body.split('|').filter(|part| part.starts_with('-')).count();
            let parts = body.split('|').count();
            assert!(options == 0 || options == parts, "mixed marks: {row}");
        }
        let (low, high) = code.split_once('-').unwrap_or((code, code));
        let (low, high): (u8, u8) = (low.parse().expect("a code"), high.parse().expect("a code"));
        assert!(low <= high, "{row}");
        assert!(matches!(*is_error, "yes" | "no"), "{row}");
        assert!(low != 0 || *is_error == "no", "success is no error: {row}");
        assert!(meaning.split(' ').count() <= 8, "over eight words: {row}");
        assert!(!meaning.ends_with('.') && !meaning.contains("  "), "{row}");
        let first = meaning.chars().next().expect("a meaning");
        assert!(first.is_uppercase() || first.is_ascii_digit(), "{row}");
    }
}

#[test]
fn fixed_texts_are_in_it() {
    for row in [
        "grep\t\t1\tno\tNo matches found",
        "rg\t\t1\tno\tNo matches found",
        "find\t\t1\tno\tSome directories were inaccessible",
        "diff\t\t1\tno\tFiles differ",
        "test\t\t1\tno\tCondition is false",
        "[\t\t1\tno\tCondition is false",
    ] {
        assert!(TABLE.lines().any(|line| line == row), "{row}");
    }
}
