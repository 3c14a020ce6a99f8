/// The progress of an upload or a download.
public struct TransferProgress: Hashable, Sendable {
    /// The number of bytes transferred.
    public var completedBytes: Int64
    /// The total number of bytes; `nil` if unknown.
    public var totalBytes: Int64?

    /// Creates a progress from byte counts.
    public init(completedBytes: Int64, totalBytes: Int64? = nil) {
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
    }

    /// The completed fraction, 0 to 1; `nil` if the total is unknown.
    public var fraction: Double? {
        totalBytes.map { $0 == 0 ? 1 : Double(completedBytes) / Double($0) }
    }
}

/// A function that the client calls with the progress of an upload or a download.
///
/// The progress increases with each call. It decreases only if a transfer has to start over.
public typealias ProgressHandler = @Sendable (TransferProgress) -> Void
