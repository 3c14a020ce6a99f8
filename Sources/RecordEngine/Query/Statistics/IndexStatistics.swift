internal import RecordModel
internal import RecordStorage

/// The distribution of the entries of an index: every nth entry of each home, in order.
///
/// Occasional scans of the whole index take the samples, so the statistics may be outdated. They affect which plan is
/// chosen, an estimated total, and how much frequent words count for the rank, but never which records a query finds.
struct IndexStatistics: Hashable, Sendable {
    struct Sample: Hashable, Sendable {
        var home: RowHome
        var key: [UInt8]

        func precedes(_ other: Sample) -> Bool {
            home == other.home ? key.lexicographicallyPrecedes(other.key) : home < other.home
        }
    }

    /// The number of entries in the index.
    var entries: Int
    /// The number of entries between two samples of one home.
    var step: Int
    var samples: [Sample]
    /// The database's operation count when the samples were taken; 0 if an earlier run of the server took them.
    var operations: UInt64 = 0

    /// The least number of samples of an index whose entries have one home; at most twice as many are taken.
    static let sampleCount = 128
    /// The maximum number of key bytes in a sample.
    static let sampleKeyBytes = 64

    init(entries: Int, step: Int, samples: [Sample]) {
        self.entries = entries
        self.step = step
        self.samples = samples
    }

    /// The estimated bytes of all keys. Long keys count as long as their part in a sample.
    var keyBytes: Int64 {
        guard !samples.isEmpty else { return 0 }
        let sum = samples.reduce(0) { $0 + $1.key.count }
        return Int64(Double(sum) / Double(samples.count) * Double(entries))
    }

    /// Estimates the number of entries in a range of keys.
    func estimate(home: RowHome, lower: [UInt8], upper: [UInt8]?) -> Int {
        let first = position { $0.precedes(Sample(home: home, key: lower)) }
        let last =
            if let upper {
                position { $0.precedes(Sample(home: home, key: upper)) }
            } else {
                position { $0.home <= home }
            }
        // On average, a range between two neighboring samples contains half a step.
        return max(step / 2, (last - first) * step)
    }

    /// The number of samples that precede a position.
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
