internal import RecordModel
internal import RecordStorage

/// How the entries of an index are spread: every nth entry of it, in order.
///
/// Taken by a walk through the whole index now and then, so they are old; they decide between ways to answer, never what
/// the answer is.
struct IndexStatistics: Hashable, Sendable {
    struct Sample: Hashable, Sendable {
        var home: RowHome
        var key: [UInt8]

        func precedes(_ other: Sample) -> Bool {
            home == other.home ? key.lexicographicallyPrecedes(other.key) : home < other.home
        }
    }

    /// The entries that the index had.
    var entries: Int
    /// How many entries lie between two samples.
    var step: Int
    var samples: [Sample]
    /// The operations that the database had performed when they were taken; 0 if that was in an earlier run.
    var operations: UInt64 = 0

    /// About how many samples are kept of an index.
    static let sampleCount = 128
    /// How much of a key a sample keeps.
    static let sampleKeyBytes = 64

    init(entries: Int, step: Int, samples: [Sample]) {
        self.entries = entries
        self.step = step
        self.samples = samples
    }

    /// The entries that a range of keys is likely to have.
    func estimate(home: RowHome, lower: [UInt8], upper: [UInt8]?) -> Int {
        let first = position { $0.precedes(Sample(home: home, key: lower)) }
        let last =
            if let upper {
                position { $0.precedes(Sample(home: home, key: upper)) }
            } else {
                position { $0.home <= home }
            }
        // Between two neighbouring samples lies half a step on average, for all that is known.
        return max(step / 2, (last - first) * step)
    }

    /// How many samples come first: those before some place.
    private func position(_ isBefore: (Sample) -> Bool) -> Int {
        var low = 0
        var high = samples.count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(samples[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
