//! `jamboree lab predict`: the time on large machines, from small ones.

use super::common::{
    OutputArguments, SearchArguments, SearchMeter, VERSION, algorithm_help, names, processors, profile_help, tell_where,
};
use crate::Failure;
use clap::Args;
use jamboree_io::outln;
use lab::experiment::{Course, Folder, LabError, MachineKind, Plan, positions};
use lab::report::Origin;
use lab::studies::predict::{PredictSettings, study};
use lab::studies::predict_page;

/// Fit T = c1 W/P + c2 C + c3 on small machines and test it on large ones
///
/// Every second position is kept out of the fit. The law is fitted to the other positions on the small machines, and
/// tested on positions and machines that it has not seen, with W and C measured in the run itself (as StarTech and
/// *Socrates did) and on small machines. In another law, c1 W/P + c2 C ((P-1)/P)^c3, small machines hide more of
/// the critical path than large ones; a third counts only the part of it at which there is too little to do for the
/// processors, by the parallelism measured over ideal time.
///
/// Examples:
///   jamboree lab predict --classic --nodes 2000000 --out prediction
///   jamboree lab predict --first 8 --nodes 100000 --hash 32 --out prediction
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(flatten)]
    search: SearchArguments,
    #[arg(long, default_value_t = search::algorithms::default().name().to_string(), help = algorithm_help(""))]
    algorithm: String,
    /// Numbers of processors of the fit
    #[arg(long, value_name = "P,...", default_value = "1,2,4,8,16", allow_hyphen_values = true)]
    fit: String,
    /// Numbers of processors of the test
    #[arg(long, value_name = "P,...", default_value = "64,256", allow_hyphen_values = true)]
    test: String,
    #[arg(long, default_value = "ideal", help = profile_help())]
    profile: String,
    #[command(flatten)]
    output: OutputArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { search, output, .. } = arguments;
    let algorithms = names(&arguments.algorithm);
    if algorithms.len() != 1 {
        return Err(LabError::Settings("one algorithm is fitted at a time".into()).into());
    }
    let (small, large) = (processors(&arguments.fit)?, processors(&arguments.test)?);
    let plan = Plan {
        suite: positions(&search.suite, search.first)?,
        algorithms,
        processors: small.iter().chain(&large).copied().collect(),
        machine: MachineKind::Virtual,
        profile: arguments.profile.clone(),
        hosts: String::new(),
        rules: search.rules(),
        goal: search.goal()?,
        deepest: search.deepest,
        seed: search.seed,
        repeats: 1,
        baselines: 1,
        hash: search.hash,
        table: search.table.clone(),
        course: Course::Apart,
    };
    plan.check()?;
    let folder = Folder::open(&output.out, VERSION)?;
    let settings = PredictSettings { plan: Plan { profile: folder.profile(&plan.profile)?, ..plan }, small, large };
    let meter = SearchMeter::new();
    let findings = study(&settings, &folder, output.jobs(), &|progress| meter.show(progress));
    meter.finish();
    let findings = findings?;
    predict_page::write(&settings, &findings, &folder, Origin::here(VERSION))?;
    for law in &findings.laws {
        let [c1, c2, c3] = law.coefficients;
        outln!(
            "T = {:<31} c1 {c1:.3}, c2 {c2:.3}, c3 {c3:.1}: correlation {:.6}, mean relative error {:.2} % of {} fitted",
            law.form.formula(),
            law.fitted.correlation,
            100.0 * law.fitted.error,
            law.fitted.count
        )?;
    }
    outln!("held-out positions on {:?} processors:", settings.large)?;
    for law in &findings.laws {
        let tests = [findings.verdict(law.form), findings.verdict_from_small(law.form, &settings)];
        for test in tests.into_iter().flatten() {
            outln!(
                "  T = {:<31} as in {:<15} mean relative error {:.2} %, worst {:.2} %, bias {:+.2} %, correlation {:.6}",
                law.form.formula(),
                format!("{}:", test.source),
                100.0 * test.agreement.error,
                100.0 * test.agreement.worst,
                100.0 * test.agreement.bias,
                test.agreement.correlation
            )?;
        }
    }
    outln!("StarTech: 1.02 W/P + 1.5 C + 4.3 s; *Socrates: 1.091 W/P + 0.95 C, correlation 0.999947, error 4.85 %")?;
    tell_where(output)
}
