/// Whether `text` is what the server takes for the name of a record type, and for that of a field that is no system field:
/// a letter of any script, then letters, digits and underscores (UAX #31), 255 bytes at most.
func isIdentifier(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, text.utf8.count <= 255, first.properties.isXIDStart else {
        return false
    }
    return text.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isXIDContinue && !scalar.properties.isDefaultIgnorableCodePoint
    }
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
