extension RecordList {
    /// The positions of the members in `json`, in order.
    ///
    /// - Complexity: O(n) in the bytes of the list.
    package var members: [Range<Int>] {
        var members: [Range<Int>] = []
        members.reserveCapacity(count)
        json.withUnsafeBufferPointer { json in
            var (first, depth, isText) = (start, 0, false)
            var position = start
            while position < json.count {
                let byte = json[position]
                if isText {
                    if byte == UInt8(ascii: "\\") {
                        position &+= 1
                    } else if byte == UInt8(ascii: "\"") {
                        isText = false
                    }
                } else {
                    switch byte {
                    case UInt8(ascii: "\""): isText = true
                    case UInt8(ascii: "{"), UInt8(ascii: "["): depth &+= 1
                    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth &-= 1
                    case UInt8(ascii: ",") where depth == 0:
                        members.append(first..<position)
                        first = position &+ 1
                    default: break
                    }
                }
                position &+= 1
            }
            if first < json.count { members.append(first..<json.count) }
        }
        return members
    }
}
