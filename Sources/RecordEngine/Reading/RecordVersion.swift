internal import RecordWire

/// One state of a record as one caller sees it.
package struct RecordVersion: Hashable, Sendable {
    package let revision: Int64
    /// What of it the caller sees: 0 for all fields and no access list, else a number of this and no other view.
    let view: UInt32

    /// - Parameters:
    ///   - hidden: The numbers of the fields that are held back.
    ///   - showsAccess: Whether its access list is shown.
    init(revision: Int64, hidden: [Int], showsAccess: Bool) {
        self.revision = revision
        guard !hidden.isEmpty || showsAccess else {
            view = 0
            return
        }
        // FNV-1a: two views of one revision need different numbers, nothing else.
        var hash: UInt32 = showsAccess ? 0x811C_9DC6 : 0x811C_9DC5
        for field in hidden {
            for shift in stride(from: 0, to: 32, by: 8) {
                hash = (hash ^ UInt32(truncatingIfNeeded: field >> shift) & 0xFF) &* 0x0100_0193
            }
        }
        view = max(hash, 1)
    }

    /// Appends the text of an ETag, without quotes: the change tag; of another view than the whole one with `-` and more.
    /// A cache of several users, or of one whose rights have ended, must not take the one for the other.
    package func append(to text: inout [UInt8]) {
        RecordTag.append(revision, to: &text)
        guard view != 0 else { return }
        text.append(UInt8(ascii: "-"))
        RecordTag.append(Int64(view), to: &text)
    }

    package var text: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The change tag in the text of an ETag: what a write compares.
    package static func changeTag(_ text: String) -> String {
        String(text.prefix { $0 != "-" })
    }
}
