/// Decides how long the writer waits for more writes before it takes the next group.
///
/// Clients that have just received a response tend to write again soon. On a fast disk the next commit would begin
/// before their writes arrive, and each fsync would make few writes durable. Therefore the writer waits for half of the
/// clients that write concurrently. Each write takes a little longer, but there are far fewer fsyncs and wake-ups. The
/// writes of a single client never wait.
struct GroupCommitDelay {
    /// The estimated number of concurrent clients.
    private var expected = 0
    private var groupsSinceSounding = 0

    /// The longest wait for more writes.
    static let maxWait = Duration.milliseconds(2)
    /// The number of groups between two waits of the full `maxWait`. Small groups make the estimate too low, so the
    /// writer regularly waits the full time to count the clients.
    private static let groupsBetweenSoundings = 256

    /// Returns how many writes to wait for. 1 means no wait.
    mutating func nextTarget() -> Int {
        guard expected > 2 else { return 1 }
        groupsSinceSounding += 1
        if groupsSinceSounding >= Self.groupsBetweenSoundings {
            groupsSinceSounding = 0
            return Int.max
        }
        return expected / 2
    }

    /// Updates the estimate after a commit.
    ///
    /// - Parameters:
    ///   - writes: The number of writes in the committed group.
    ///   - waiting: The number of writes that arrived during the commit.
    ///   - target: The result of `nextTarget` for this group.
    mutating func didCommit(writes: Int, waiting: Int, target: Int) {
        let seen = writes + waiting
        if target == Int.max {
            expected = seen
        } else if writes < target {
            // The wait timed out, so there are fewer clients than estimated.
            expected = max(seen, expected - expected / 8 - 1)
        } else {
            expected = max(seen, expected)
        }
    }
}
