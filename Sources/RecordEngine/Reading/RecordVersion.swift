internal import RecordWire

/// A version of a record as one caller sees it.
package struct RecordVersion: Hashable, Sendable {
    /// The revision of the record.
    package let revision: Int64
    /// A number for the fields that the caller sees. 0 means all fields without an access list; otherwise a hash.
    let view: UInt32

    /// - Parameters:
    ///   - hidden: The ids of the fields that the caller may not read.
    ///   - showsAccess: Whether the caller sees the access list.
    ///   - renamed: The sequence number of the last rename in the record's type; 0 if there was none. A rename changes
    ///     responses, but no revision.
    init(revision: Int64, hidden: [Int], showsAccess: Bool, renamed: Int64) {
        self.revision = revision
        guard !hidden.isEmpty || showsAccess || renamed != 0 else {
            view = 0
            return
        }
        // FNV-1a. The hash only needs to distinguish different views of the same revision.
        var hash: UInt32 = showsAccess ? 0x811C_9DC6 : 0x811C_9DC5
        for number in hidden + (renamed == 0 ? [] : [Int(renamed), 0]) {
            for shift in stride(from: 0, to: 32, by: 8) {
                hash = (hash ^ UInt32(truncatingIfNeeded: number >> shift) & 0xFF) &* 0x0100_0193
            }
        }
        view = max(hash, 1)
    }

    /// Appends the text of an ETag without quotes:
    ///
    /// ```text
    /// change tag              all fields, no access list, in a type without renames
    /// change tag "-" view     otherwise
    /// ```
    ///
    /// A shared cache must not confuse the two forms, and neither must the cache of a caller that has lost rights.
    package func append(to text: inout [UInt8]) {
        RecordTag.append(revision, to: &text)
        guard view != 0 else { return }
        text.append(UInt8(ascii: "-"))
        RecordTag.append(Int64(view), to: &text)
    }

    /// The version as the text of an ETag without quotes.
    package var text: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the change tag from the text of an ETag. Writes compare change tags.
    package static func changeTag(_ text: String) -> String {
        String(text.prefix { $0 != "-" })
    }
}
