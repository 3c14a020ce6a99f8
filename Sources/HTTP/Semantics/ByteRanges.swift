/// Several byte ranges at once (RFC 9110 §14). No value of the field is an error, and none can overflow.
public enum ByteRanges {
    /// What a Range field asks of a representation.
    public enum Verdict: Hashable, Sendable {
        /// Answer with the whole representation: the field is malformed, has another unit, or asks for too much in bits.
        case whole
        /// Answer 206: with one range as it is, with more as `MultipartByteRanges`. 1 to 16 ranges, none empty, none
        /// touching another, in the order in which they were asked for.
        case ranges([Range<Int>])
        /// Answer 416 with `Content-Range: bytes */size`.
        case unsatisfiable
    }

    /// The most ranges of an answer.
    public static let maxRanges = 16
    /// The most ranges that are looked at in a field.
    public static let maxSpecs = 64
    /// Ranges with no more bytes between them become one: the head of another part would be longer (RFC 9110 §15.3.7.2).
    public static let maxGap = 80

    /// Judges the value of Range.
    ///
    /// Ranges beyond the end are dropped. Ranges that overlap or lie close together become one, in the place of the
    /// first of them. What is left of a set of more than `maxSpecs` ranges, or of more than `maxRanges` after that, is
    /// ignored, as §14.2 and §17.15 advise against sets that are made to cost.
    ///
    /// - Parameter size: The length of the representation in bytes.
    public static func parse(_ header: String, size: Int) -> Verdict {
        var header = header
        return header.withUTF8 { parse(UnsafeRawBufferPointer($0), size: size) }
    }

    /// Judges the Range of a request; several Range lines are ignored.
    public static func parse(_ fields: HTTPFields, size: Int) -> Verdict {
        guard fields.count(of: .range) == 1 else { return .whole }
        return fields.withValue(of: .range) { parse($0, size: size) } ?? .whole
    }

    private static func parse(_ value: UnsafeRawBufferPointer, size: Int) -> Verdict {
        guard let set = ByteRange.rangeSet(value) else { return .whole }
        var ranges: [Range<Int>] = []
        var count = 0
        var isMalformed = false
        var isInexpressible = false
        set.forEachListElement { element in
            count += 1
            guard !isMalformed, count <= maxSpecs else { return }
            switch ByteRange.spec(element, size: size) {
            case .malformed: isMalformed = true
            case .unsatisfiable: break
            case .inexpressible: isInexpressible = true
            case .range(let range): ranges.append(range)
            }
        }
        guard count > 0, count <= maxSpecs, !isMalformed, !isInexpressible else { return .whole }
        if ranges.isEmpty { return .unsatisfiable }
        let coalesced = coalesce(ranges)
        return coalesced.count <= maxRanges ? .ranges(coalesced) : .whole
    }

    /// Joins what overlaps or lies close together; each run takes the place of its first member.
    private static func coalesce(_ ranges: [Range<Int>]) -> [Range<Int>] {
        guard ranges.count > 1 else { return ranges }
        let order = ranges.indices.sorted { ranges[$0].lowerBound < ranges[$1].lowerBound }
        var runs: [(place: Int, range: Range<Int>)] = []
        for index in order {
            let range = ranges[index]
            if let last = runs.last, range.lowerBound - maxGap <= last.range.upperBound {
                let end = max(last.range.upperBound, range.upperBound)
                runs[runs.count - 1] = (min(last.place, index), last.range.lowerBound..<end)
            } else {
                runs.append((index, range))
            }
        }
        return runs.sorted { $0.place < $1.place }.map(\.range)
    }
}
