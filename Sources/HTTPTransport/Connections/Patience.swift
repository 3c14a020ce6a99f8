/// How long a slow client may still be waited for, in one direction and over all waits together.
///
/// It starts with the deadline's allowance. Waiting uses it up; what the client sends or takes gives it back at the
/// slowest rate that is borne, and never above the allowance. So who keeps to the rate may go on for hours, while a burst
/// buys nobody more than one allowance of silence.
package struct Patience {
    private let allowance: UInt64
    private let nanosecondsPerByte: UInt64
    package private(set) var left: UInt64

    /// - Parameters:
    ///   - allowance: In nanoseconds.
    ///   - bytesPerSecond: The slowest rate that is borne.
    package init(allowance: UInt64, bytesPerSecond: Int) {
        self.allowance = allowance
        nanosecondsPerByte = 1_000_000_000 / UInt64(max(1, bytesPerSecond))
        left = allowance
    }

    /// Counts a wait.
    package mutating func waited(_ nanoseconds: UInt64) {
        left -= min(left, nanoseconds)
    }

    /// Counts bytes that came or went.
    package mutating func moved(_ bytes: Int) {
        let (earned, overflow) = UInt64(max(0, bytes)).multipliedReportingOverflow(by: nanosecondsPerByte)
        left = overflow || earned > allowance - left ? allowance : left + earned
    }
}
