//! The parser of this project, taken in as it is.

#[path = "../../../src/meaning/deliver.rs"]
mod deliver;
#[path = "../../../src/meaning/frames.rs"]
mod frames;
#[path = "../../../src/meaning/heads.rs"]
mod heads;
#[path = "../../../src/meaning/parser.rs"]
mod parser;
#[path = "../../../src/meaning/syntax.rs"]
mod syntax;
#[path = "../../../src/meaning/words.rs"]
mod words;

use syntax::{End, Link, Node, NodeId, Script};

/// The shape of a text, when all of it is understood.
pub fn shape(text: &str) -> Option<String> {
    let script = parser::parse(text);
    if script.end != End::Complete {
        return None;
    }
    let mut out = String::new();
    write(&script, script.root, &mut out);
    Some(out)
}

fn write(script: &Script, id: NodeId, out: &mut String) {
    match &script.nodes[id] {
        Node::Simple(simple) => {
            let first = simple.words.first().map_or("=", |word| word.raw.as_str());
            out.push_str(&format!("{} ", first.replace([' ', '\n'], "_")));
        }
        Node::Pipeline(pipeline) => {
            if pipeline.negated {
                out.push_str("! ");
            }
            for (index, stage) in pipeline.stages.iter().enumerate() {
                if index > 0 {
                    out.push_str("| ");
                }
                write(script, *stage, out);
            }
        }
        Node::Chain(links) => {
            for (index, (link, node)) in links.iter().enumerate() {
                if index > 0 {
                    out.push_str(if *link == Link::And { "&& " } else { "|| " });
                }
                write(script, *node, out);
            }
        }
        Node::List(items) => {
            for item in items {
                write(script, item.node, out);
                out.push_str(if item.background { "& " } else { "; " });
            }
        }
        Node::Subshell(body) => {
            out.push_str("( ");
            write(script, *body, out);
            out.push_str(") ");
        }
        Node::If(branches, otherwise) => {
            for (condition, body) in branches {
                out.push_str("if ");
                write(script, *condition, out);
                out.push_str("then ");
                write(script, *body, out);
            }
            if let Some(body) = otherwise {
                out.push_str("else ");
                write(script, *body, out);
            }
            out.push_str("fi ");
        }
        Node::Loop {
            condition, body, ..
        } => {
            out.push_str("while ");
            write(script, *condition, out);
            out.push_str("do ");
            write(script, *body, out);
            out.push_str("done ");
        }
        Node::For { body, .. } | Node::Select(body) => {
            out.push_str("for ");
            write(script, *body, out);
            out.push_str("done ");
        }
        Node::Case { arms, .. } => {
            out.push_str("case ");
            for arm in arms {
                out.push_str(") ");
                write(script, arm.body, out);
            }
            out.push_str("esac ");
        }
        Node::Function { body, .. } => {
            out.push_str("function ");
            write(script, *body, out);
        }
        Node::Condition(_) => out.push_str("[[ "),
        Node::Arithmetic => out.push_str("(( "),
        Node::Redirected(inner, _) => write(script, *inner, out),
    }
}
