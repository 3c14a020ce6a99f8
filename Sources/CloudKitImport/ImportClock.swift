/// The time of an import, and the wish of the operator to stop it.
package protocol ImportClock: Sendable {
    /// Milliseconds since 1970.
    var now: Int64 { get }

    /// Waits a number of milliseconds.
    ///
    /// - Throws: `interrupted`.
    func wait(milliseconds: Int64) async throws(ImportError)

    /// Checks whether the operator has interrupted the import.
    ///
    /// - Throws: `interrupted`.
    func checkInterruption() throws(ImportError)
}

/// The delays between the attempts of one request: 1, 2, 4 … 60 seconds, or what the server asks for.
struct RetrySchedule {
    /// The number of attempts.
    static let most = 10
    private static let longest: Int64 = 60_000
    private var attempts = 1
    private var delay: Int64 = 1_000

    /// Returns the delay before the next attempt in milliseconds; `nil` if there have been enough.
    ///
    /// - Parameter asked: The delay that the server asks for.
    mutating func next(after asked: Int64?) -> Int64? {
        guard attempts < Self.most else { return nil }
        attempts += 1
        defer { delay = min(Self.longest, delay * 2) }
        // A server that asks for no delay at all gets a short one, so that attempts do not follow each other at once.
        return asked.map { max($0, 100) } ?? delay
    }
}
