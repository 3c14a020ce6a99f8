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

/// Names that conditions and sorts have for what a record is besides its fields, in all spellings; the server refuses
/// fields that are called so (`SystemField`). Keys of the record dictionary, such as `deleted`, are none of them: fields
/// stand apart from these.
let systemNames: Set<String> = [
    "recordName", "recordID",
    "createdTimestamp", "creationDate", "createdUserRecordName", "creatorUserRecordID",
    "modifiedTimestamp", "modificationDate", "modifiedUserRecordName", "lastModifiedUserRecordID",
    "recordChangeTag", "share", "parent",
]
