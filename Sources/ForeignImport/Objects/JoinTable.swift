internal import RecordWire

/// The members of one relation of a class, by the objects that have the relation.
///
/// 16 bytes and the identifier are remembered of each member.
struct JoinTable {
    private struct Entry {
        let owner: Int
        let start: Int
    }

    private var entries: [Entry] = []
    /// The identifiers of members, each with its length before it.
    private var texts: [UInt8] = []

    /// Reads the file of a relation: objects with `owningId` and `relatedId`.
    ///
    /// - Parameter reject: Called with the line and the reason for each object that is left out.
    /// - Throws: `ConversionError`.
    init(_ path: String, reject: (Int, String) -> Void) throws(ConversionError) {
        var documents = try JSONDocuments(path)
        while let document = try documents.next() {
            guard let bytes = document.bytes, let object = try? JSONValue.parse(bytes),
                let owner = object["owningId"]?.string, let related = object["relatedId"]?.string,
                related.utf8.count <= 255
            else {
                reject(document.line, "the object is no member of a relation: that has owningId and relatedId")
                continue
            }
            entries.append(Entry(owner: owner.hashValue, start: texts.count))
            texts.append(UInt8(related.utf8.count))
            texts += related.utf8
        }
        // In the order of the file, for each owner.
        entries.sort { ($0.owner, $0.start) < ($1.owner, $1.start) }
    }

    /// Returns the members that an object has.
    func members(of owner: String) -> [String] {
        let key = owner.hashValue
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].owner < key { low = middle + 1 } else { high = middle }
        }
        var members: [String] = []
        while low < entries.count, entries[low].owner == key {
            let start = entries[low].start
            members.append(String(decoding: texts[(start + 1)...].prefix(Int(texts[start])), as: UTF8.self))
            low += 1
        }
        return members
    }
}
