//! How many texts a batch holds.
//!
//! Two things look alike at first: an accident, and a size that the provider
//! cannot do. An accident costs a quarter of the size and is made good within
//! two clean replies; a size that fails again halves, and grows back ever more
//! slowly.

/// A batch that shrank grows at least by this.
const LEAST_GROWTH: usize = 2;
/// However often it shrank, a batch grows after this many clean replies.
const SLOWEST_GROWTH: u32 = 5;

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Size {
    most: usize,
    present: usize,
    /// How often it failed again.
    failures: u32,
    /// Clean replies since the last growth or failure.
    clean: u32,
    /// Whether no clean reply has come since the last failure.
    failed: bool,
}

impl Size {
    /// Returns a size that starts at its ceiling: the provider's code knows what
    /// it can take, and the first, small batch has tried it before.
    pub(super) fn new(most: usize) -> Self {
        Self { most, present: most, failures: 0, clean: 0, failed: false }
    }

    pub(super) fn present(&self) -> usize {
        self.present
    }

    /// Notes a reply that was cut or could not be trusted.
    pub(super) fn failed(&mut self) {
        if self.failed {
            self.present /= 2;
            self.failures = (self.failures + 1).min(SLOWEST_GROWTH);
        } else {
            self.present = self.present * 3 / 4;
        }
        self.present = self.present.max(1);
        self.failed = true;
        self.clean = 0;
    }

    /// Notes a reply that had everything.
    pub(super) fn succeeded(&mut self) {
        self.failed = false;
        if self.present >= self.most {
            self.failures = self.failures.saturating_sub(1);
            return;
        }
        self.clean += 1;
        if self.clean >= self.failures {
            self.clean = 0;
            let step = (self.present / 4).max(LEAST_GROWTH);
            self.present = (self.present + step).min(self.most);
        }
    }
}
