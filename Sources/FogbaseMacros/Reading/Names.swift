/// Whether `text` is an ASCII letter followed by letters, digits and underscores, 255 at most: what the server takes
/// for the name of a record type, and for that of a field that is no system field.
func isIdentifier(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= 255 else { return false }
    return isLetter(first)
        && text.utf8.dropFirst().allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
}

private func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
}

private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

/// Names that a record has besides its fields, in all spellings; no field may take one.
///
/// The server refuses those of `SystemField`. The others are keys of the record dictionary: a field of that name would
/// be mistaken for it.
let systemNames: Set<String> = [
    "recordName", "recordID",
    "createdTimestamp", "creationDate", "createdUserRecordName", "creatorUserRecordID",
    "modifiedTimestamp", "modificationDate", "modifiedUserRecordName", "lastModifiedUserRecordID",
    "recordChangeTag", "share", "parent",
    "recordType", "created", "modified", "deleted",
]
