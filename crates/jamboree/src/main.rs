//! The command line of Jamboree.
fn main() {
    let engine = engine::Engine::new().unwrap_or_else(|e| { eprintln!("{e}"); std::process::exit(1) });
    engine::uci::run(engine, std::io::stdin().lock(), &Vec::new);
}
