import Threads

/// The originals whose thumbnails failed recently. A broken picture then costs one process instead of one per request.
/// The type performs no input or output.
///
/// Failures are stored by original, not by form. Requests for many sizes of a broken picture therefore cost only one
/// process.
struct FailureCache {
    private struct Failure {
        var error: ThumbnailError
        var until: UInt64
    }

    private let capacity: Int
    private var failures: [String: Failure] = [:]
    /// The keys of `failures`, as a ring buffer. Once the buffer is full, `oldest` is the position of the oldest key.
    private var keys: [String] = []
    private var oldest = 0

    init(capacity: Int = 4096) {
        self.capacity = capacity
    }

    /// Returns the time for which an error is remembered; `nil` if the error does not depend on the picture.
    static func lifetime(of error: ThumbnailError) -> Duration? {
        switch error {
        case .unreadable: .seconds(600)
        // A time-out is remembered briefly, because the machine may have been busy.
        case .timedOut: .seconds(60)
        case .unavailable, .tooManyPixels, .overloaded, .storageFull, .closed: nil
        }
    }

    /// Records a failure at `now`, in monotonic nanoseconds. If there are too many failures, evicts the oldest.
    mutating func note(_ error: ThumbnailError, of key: String, at now: UInt64) {
        guard let lifetime = Self.lifetime(of: error) else { return }
        let isNew = failures[key] == nil
        failures[key] = Failure(error: error, until: now &+ lifetime.clampedNanoseconds)
        guard isNew else { return }
        if keys.count < capacity {
            keys.append(key)
        } else {
            failures[keys[oldest]] = nil
            keys[oldest] = key
            oldest = (oldest + 1) % capacity
        }
    }

    /// Returns the remembered error of an original; `nil` if there is none.
    func error(of key: String, at now: UInt64) -> ThumbnailError? {
        guard let failure = failures[key], failure.until > now else { return nil }
        return failure.error
    }

    mutating func forget(_ key: String) {
        failures[key] = nil
    }
}
