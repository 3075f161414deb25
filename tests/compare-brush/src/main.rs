//! Compares the shape that two parsers give to shell text, one text a line on standard input.
//!
//! `\n`, `\r` and `\t` are decoded, and what stands behind a tab is left out, so the file of
//! cases can be read as it is: `cargo run < ../../tests/data/shell-cases.tsv`

// Only the parser is looked at, and not all of what it says.
#[allow(dead_code)]
mod meaning;

mod brush {
    use brush_parser::ast::{
        AndOr, Command, CompoundCommand, CompoundList, Pipeline, SeparatorOperator,
    };

    /// The shape that the other parser sees.
    pub fn shape(text: &str) -> Option<String> {
        let options = brush_parser::ParserOptions::default();
        let source = brush_parser::SourceInfo::default();
        let mut parser = brush_parser::Parser::new(text.as_bytes(), &options, &source);
        let program = parser.parse_program().ok()?;
        let mut out = String::new();
        for commands in &program.complete_commands {
            list(commands, &mut out);
        }
        Some(out)
    }

    fn list(commands: &CompoundList, out: &mut String) {
        for item in &commands.0 {
            pipeline(&item.0.first, out);
            for next in &item.0.additional {
                let (sign, next) = match next {
                    AndOr::And(next) => ("&& ", next),
                    AndOr::Or(next) => ("|| ", next),
                };
                out.push_str(sign);
                pipeline(next, out);
            }
            out.push_str(match item.1 {
                SeparatorOperator::Async => "& ",
                SeparatorOperator::Sequence => "; ",
            });
        }
    }

    fn pipeline(pipeline: &Pipeline, out: &mut String) {
        if pipeline.bang {
            out.push_str("! ");
        }
        for (index, stage) in pipeline.seq.iter().enumerate() {
            if index > 0 {
                out.push_str("| ");
            }
            match stage {
                Command::Simple(simple) => {
                    let first = simple.word_or_name.as_ref().map_or("=", |word| &word.value);
                    let first = first.replace("\\\n", "");
                    out.push_str(&format!("{} ", first.replace([' ', '\n'], "_")));
                }
                Command::Compound(command, _) => compound(command, out),
                Command::Function(function) => {
                    out.push_str("function ");
                    compound(&function.body.0, out);
                }
                Command::ExtendedTest(_) => out.push_str("[[ "),
            }
        }
    }

    fn compound(command: &CompoundCommand, out: &mut String) {
        match command {
            CompoundCommand::Arithmetic(_) => out.push_str("(( "),
            CompoundCommand::ArithmeticForClause(clause) => {
                out.push_str("for ");
                list(&clause.body.list, out);
                out.push_str("done ");
            }
            CompoundCommand::BraceGroup(group) => list(&group.list, out),
            CompoundCommand::Subshell(shell) => {
                out.push_str("( ");
                list(&shell.list, out);
                out.push_str(") ");
            }
            CompoundCommand::ForClause(clause) => {
                out.push_str("for ");
                list(&clause.body.list, out);
                out.push_str("done ");
            }
            CompoundCommand::CaseClause(clause) => {
                out.push_str("case ");
                for case in &clause.cases {
                    out.push_str(") ");
                    if let Some(commands) = &case.cmd {
                        list(commands, out);
                    }
                }
                out.push_str("esac ");
            }
            CompoundCommand::IfClause(clause) => {
                out.push_str("if ");
                list(&clause.condition, out);
                out.push_str("then ");
                list(&clause.then, out);
                for other in clause.elses.iter().flatten() {
                    match &other.condition {
                        Some(condition) => {
                            out.push_str("if ");
                            list(condition, out);
                            out.push_str("then ");
                        }
                        None => out.push_str("else "),
                    }
                    list(&other.body, out);
                }
                out.push_str("fi ");
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                out.push_str("while ");
                list(&clause.0, out);
                out.push_str("do ");
                list(&clause.1.list, out);
                out.push_str("done ");
            }
        }
    }
}

fn main() {
    let (mut same, mut silent, mut differ) = (0, 0, 0);
    for row in std::io::stdin().lines().map_while(Result::ok) {
        let text = row.split('\t').next().unwrap_or_default();
        let text = text
            .replace("\\n", "\n")
            .replace("\\r", "\r")
            .replace("\\t", "\t");
        match (meaning::shape(&text), brush::shape(&text)) {
            (Some(ours), Some(theirs)) if ours == theirs => same += 1,
            (Some(ours), Some(theirs)) => {
                differ += 1;
                println!("{text:?}\n  ours   {ours}\n  theirs {theirs}");
            }
            (None, None) => same += 1,
            (Some(_), None) => {
                silent += 1;
                println!("{text:?}\n  only ours");
            }
            (None, Some(theirs)) => {
                silent += 1;
                println!("{text:?}\n  only theirs {theirs}");
            }
        }
    }
    println!("{same} the same, {differ} differ, {silent} read by one alone");
}
