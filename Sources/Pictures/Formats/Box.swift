/// A box of the ISO base media file format: a size, a type, and content (ISO/IEC 14496-12 §4.2).
struct Box {
    let type: Code
    let content: Extent
}

extension HeaderReader {
    /// Takes a box off the front of a part.
    ///
    /// - Parameter mayBeOpen: Whether a size of 0, up to the end of the file, is allowed: only outside of all boxes.
    /// - Returns: The box; `nil` if there is none, or it does not fit in the part.
    mutating func box(from extent: inout Extent, mayBeOpen: Bool = false) throws(Failure) -> Box? {
        let whole = extent.count
        guard let size = try number(4, from: &extent), let type = try code(from: &extent) else { return nil }
        let count: Int
        switch size {
        case 0 where mayBeOpen:
            count = extent.count
        case 1:
            // A size of eight bytes follows. `Int.max` less what has been read cannot overflow.
            guard let large = try number(8, from: &extent) else { return nil }
            count = large - (whole - extent.count)
        default:
            count = size - 8
        }
        guard let content = extent.take(count) else { return nil }
        return Box(type: type, content: content)
    }

    /// Takes what a full box has first: its version and its flags (§4.2).
    mutating func versionAndFlags(from extent: inout Extent) throws(Failure) -> (version: Int, flags: Int)? {
        guard let version = try number(1, from: &extent), let flags = try number(3, from: &extent) else { return nil }
        return (version, flags)
    }
}
