/// Parses Range fields with several byte ranges (RFC 9110 §14). No field value causes an error or an overflow.
public enum ByteRanges {
    /// The effect of a Range field.
    public enum Verdict: Hashable, Sendable {
        /// Send the whole representation: the field is malformed, has another unit, or has too many ranges.
        case whole
        /// Send 206: one range directly, several ranges as `MultipartByteRanges`. There are 1 to 16 ranges in the order
        /// of the request; none is empty and no two touch.
        case ranges([Range<Int>])
        /// Send 416 with `Content-Range: bytes */size`.
        case unsatisfiable
    }

    /// The maximum number of ranges in a response.
    public static let maxRanges = 16
    /// The maximum number of ranges in a Range field. A field with more ranges is ignored.
    public static let maxSpecs = 64
    /// The maximum number of bytes between two ranges that are combined. The head of a separate part would be longer
    /// (RFC 9110 §15.3.7.2).
    public static let maxGap = 80

    /// Parses the value of a Range field.
    ///
    /// Ranges beyond the end are dropped. Ranges that overlap or lie close together are combined; a combined range
    /// takes the position of its first range. The field is ignored if it has more than `maxSpecs` ranges, or if more
    /// than `maxRanges` are left after combining: RFC 9110 §14.2 and §17.15 advise against costly range sets.
    ///
    /// - Parameter size: The length of the representation in bytes.
    public static func parse(_ header: String, size: Int) -> Verdict {
        var header = header
        return header.withUTF8 { parse(UnsafeRawBufferPointer($0), size: size) }
    }

    /// Parses the Range field of a request. Several Range lines are ignored.
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

    /// Combines ranges that overlap or lie close together; each result takes the position of its first range.
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
