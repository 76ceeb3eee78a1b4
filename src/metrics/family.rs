//! How a metric is made: with its place in the registry, its description, and a series for every
//! value of its labels.

use std::marker::PhantomData;
use std::sync::Arc;

use prometheus::core::Collector;
use prometheus::{
    Error, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge,
    IntGaugeVec, Opts, Registry,
};

use super::labels::Label;

/// What a metric is called, what it says, and where to look when it moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    /// The name that Prometheus shows; a histogram's without `_bucket`, `_sum` and `_count`.
    pub name: &'static str,
    /// What is measured.
    pub help: &'static str,
    /// What it means for whoever is on call.
    pub look: &'static str,
}

/// Metrics that are read together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// What they are of.
    pub title: &'static str,
    /// In the order in which an operator reads them.
    pub families: Vec<Described>,
}

/// A metric with what is known of the values of its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// The metric itself.
    pub family: Family,
    /// Label, value and meaning of each value that means something here.
    pub values: Vec<(&'static str, &'static str, &'static str)>,
}

/// Makes metrics, and keeps the list of them.
pub(super) struct Families<'a> {
    registry: &'a Registry,
    made: Vec<Subject>,
}

impl<'a> Families<'a> {
    pub(super) fn new(registry: &'a Registry) -> Self {
        Self { registry, made: Vec::new() }
    }

    /// What is made from now on is of that subject.
    pub(super) fn begin(&mut self, title: &'static str) {
        self.made.push(Subject { title, families: Vec::new() });
    }

    /// Everything that was made.
    pub(super) fn list(self) -> Vec<Subject> {
        self.made
    }

    /// Adds a collector that somebody else made, with what it shows.
    pub(super) fn add<const N: usize>(
        &mut self,
        shows: [Family; N],
        collector: impl Collector + 'static,
    ) -> Result<(), Error> {
        if let Some(subject) = self.made.last_mut() {
            let described = shows.map(|family| Described { family, values: Vec::new() });
            subject.families.extend(described);
        }
        self.registry.register(Box::new(collector))
    }

    /// Says what the values of a label of the metric mean that was made last.
    pub(super) fn explain<L: Label>(&mut self) {
        let last = self.made.last_mut().and_then(|subject| subject.families.last_mut());
        let values = L::values().iter().map(|value| (L::NAME, value.text(), value.meaning()));
        if let Some(last) = last {
            last.values.extend(values);
        }
    }

    pub(super) fn counter(&mut self, family: Family) -> Result<IntCounter, Error> {
        let counter = IntCounter::new(family.name, family.help)?;
        self.add([family], counter.clone())?;
        Ok(counter)
    }

    pub(super) fn counters<L: Label>(&mut self, family: Family) -> Result<Counters<L>, Error> {
        let counters = self.counters_by(family, &[L::NAME])?;
        self.explain::<L>();
        Ok(Counters(series::<L, _>(|value| counters.with_label_values(&[value])), PhantomData))
    }

    /// Counters by labels whose values are named elsewhere: whoever names them starts them.
    pub(super) fn counters_by(
        &mut self,
        family: Family,
        labels: &[&str],
    ) -> Result<IntCounterVec, Error> {
        let counters = IntCounterVec::new(Opts::new(family.name, family.help), labels)?;
        self.add([family], counters.clone())?;
        Ok(counters)
    }

    pub(super) fn gauge(&mut self, family: Family) -> Result<IntGauge, Error> {
        let gauge = IntGauge::new(family.name, family.help)?;
        self.add([family], gauge.clone())?;
        Ok(gauge)
    }

    pub(super) fn gauges<L: Label>(&mut self, family: Family) -> Result<Gauges<L>, Error> {
        let gauges = IntGaugeVec::new(Opts::new(family.name, family.help), &[L::NAME])?;
        self.add([family], gauges.clone())?;
        self.explain::<L>();
        L::values().iter().for_each(|value| drop(gauges.with_label_values(&[value.text()])));
        Ok(Gauges(gauges, PhantomData))
    }

    pub(super) fn histogram(&mut self, family: Family) -> Result<Histogram, Error> {
        let histogram = Histogram::with_opts(seconds(family))?;
        self.add([family], histogram.clone())?;
        Ok(histogram)
    }

    pub(super) fn histograms<L: Label>(&mut self, family: Family) -> Result<Histograms<L>, Error> {
        let histograms = HistogramVec::new(seconds(family), &[L::NAME])?;
        self.add([family], histograms.clone())?;
        self.explain::<L>();
        let series = series::<L, _>(|value| histograms.with_label_values(&[value]));
        Ok(Histograms(series, PhantomData))
    }
}

/// One series for each value of a label, in the order of its values: to find one by its text takes a
/// lock and a hash, several times a request.
fn series<L: Label, S>(make: impl Fn(&'static str) -> S) -> Arc<[S]> {
    L::values().iter().map(|value| make(value.text())).collect()
}

/// A counter for each value of a label.
#[derive(Clone, Debug)]
pub(super) struct Counters<L>(Arc<[IntCounter]>, PhantomData<L>);

impl<L: Label> Counters<L> {
    pub(super) fn add(&self, value: L, count: u64) {
        if let Some(counter) = self.0.get(value.place()) {
            counter.inc_by(count);
        }
    }
}

/// A gauge for each value of a label.
#[derive(Clone, Debug)]
pub(super) struct Gauges<L>(IntGaugeVec, PhantomData<L>);

impl<L: Label> Gauges<L> {
    pub(super) fn of(&self, value: L) -> IntGauge {
        self.0.with_label_values(&[value.text()])
    }
}

/// A histogram of seconds for each value of a label.
#[derive(Clone, Debug)]
pub(super) struct Histograms<L>(Arc<[Histogram]>, PhantomData<L>);

impl<L: Label> Histograms<L> {
    pub(super) fn add(&self, value: L, seconds: f64) {
        if let Some(histogram) = self.0.get(value.place()) {
            histogram.observe(seconds);
        }
    }
}

/// Keeps a gauge one higher for as long as it lives.
#[derive(Debug)]
pub struct Counted(IntGauge);

impl Counted {
    pub(super) fn new(gauge: IntGauge) -> Self {
        gauge.inc();
        Self(gauge)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

fn seconds(family: Family) -> HistogramOpts {
    HistogramOpts::new(family.name, family.help).buckets(SECONDS.to_vec())
}

/// Bounds of times: a cached answer takes well under a millisecond, a reader waits 2 s for news and
/// 20 s for a first look, a poll may take a minute.
const SECONDS: [f64; 16] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0,
    60.0,
];
