import Threads

/// Which originals failed a while ago, so that a broken picture costs one process and not one for each request. Pure.
///
/// By the original and not by the form: whoever asks for a broken picture in a thousand sizes gets one process, too.
struct FailureMemory {
    private struct Failure {
        var error: ThumbnailError
        var until: UInt64
    }

    private let capacity: Int
    private var failures: [String: Failure] = [:]
    /// The keys of `failures` in a ring, oldest at `oldest` once it is full.
    private var keys: [String] = []
    private var oldest = 0

    init(capacity: Int = 4096) {
        self.capacity = capacity
    }

    /// How long an error is remembered; `nil` if it says nothing about the picture.
    static func lifetime(of error: ThumbnailError) -> Duration? {
        switch error {
        case .unreadable: .seconds(600)
        // Perhaps the machine was busy.
        case .timedOut: .seconds(60)
        case .unavailable, .tooManyPixels, .overloaded, .storageFull, .closed: nil
        }
    }

    /// Notes a failure at `now`, in monotonic nanoseconds; forgets the oldest if there are too many.
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

    /// The error that making a thumbnail of this original met lately.
    func error(of key: String, at now: UInt64) -> ThumbnailError? {
        guard let failure = failures[key], failure.until > now else { return nil }
        return failure.error
    }

    mutating func forget(_ key: String) {
        failures[key] = nil
    }
}
