/// A timeout for a body or a response that also demands a minimum rate: how long the peer may still be waited for, in one
/// direction and over all waits together.
///
/// It starts with an allowance. Waiting uses it up; bytes that move give it back at the minimum rate, and never above the
/// allowance. So a peer that keeps to the rate may go on for hours, while a burst buys no more than one allowance of
/// silence.
package struct TransferTimeout {
    private let allowance: UInt64
    private let nanosecondsPerByte: UInt64
    /// In nanoseconds.
    package private(set) var left: UInt64

    /// - Parameters:
    ///   - allowance: In nanoseconds.
    ///   - bytesPerSecond: The minimum rate.
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
