/// A timeout for one body or response, with a minimum transfer rate. It limits the total time to wait for the peer in
/// one direction.
///
/// The timeout starts with an allowance. Waiting consumes the allowance. Each transferred byte restores it at the
/// minimum rate, up to the initial value. So a peer that sustains the minimum rate can transfer for hours, and a burst
/// gains at most one allowance of waiting.
package struct TransferTimeout {
    private let allowance: UInt64
    private let nanosecondsPerByte: UInt64
    /// The remaining allowance in nanoseconds.
    package private(set) var left: UInt64

    /// Creates a timeout with its full allowance.
    ///
    /// - Parameters:
    ///   - allowance: The initial allowance in nanoseconds.
    ///   - bytesPerSecond: The minimum rate.
    package init(allowance: UInt64, bytesPerSecond: Int) {
        self.allowance = allowance
        nanosecondsPerByte = 1_000_000_000 / UInt64(max(1, bytesPerSecond))
        left = allowance
    }

    /// Subtracts the duration of a wait in nanoseconds from the allowance.
    package mutating func waited(_ nanoseconds: UInt64) {
        left -= min(left, nanoseconds)
    }

    /// Restores the allowance for transferred bytes.
    package mutating func moved(_ bytes: Int) {
        let (earned, overflow) = UInt64(max(0, bytes)).multipliedReportingOverflow(by: nanosecondsPerByte)
        left = overflow || earned > allowance - left ? allowance : left + earned
    }
}
