/// Decides how long the writer waits for company before it takes the next group.
///
/// Clients that have just been answered are about to write again. On a fast disk the next commit would begin before they
/// have, and every sync would serve a few. Waiting as long as a commit lasts, at most, costs a busy client less than it
/// gives all of them: fewer syncs, fewer wake-ups, larger groups. Whoever writes alone never waits.
struct Gathering {
    /// How many writes were under way at once lately.
    private var expected = 0
    /// How long groups took lately.
    private var nanoseconds: UInt64 = 0

    /// The longest that the writer waits.
    private static let maxNanoseconds: UInt64 = 1_000_000

    mutating func didCommit(writes: Int, waiting: Int, nanoseconds: UInt64) {
        // Falls by an eighth at a time, so that one group that happens to be small does not undo what was learnt.
        expected = max(writes + waiting, expected - expected / 8 - 1)
        self.nanoseconds = (self.nanoseconds * 7 + min(nanoseconds, Self.maxNanoseconds)) / 8
    }

    /// How many writes to wait for, and how long at most. A goal of 1 means: not at all.
    var next: (goal: Int, patience: Duration) {
        guard expected > 2 else { return (1, .zero) }
        return (expected * 3 / 4, .nanoseconds(Int64(nanoseconds)))
    }
}
