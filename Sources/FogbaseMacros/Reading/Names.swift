/// Returns whether a text is a valid name for a record type or field: a letter of any script, then letters, digits and
/// underscores (UAX #31), at most 255 bytes.
func isIdentifier(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, text.utf8.count <= 255, first.properties.isXIDStart else {
        return false
    }
    return text.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isXIDContinue && !scalar.properties.isDefaultIgnorableCodePoint
    }
}

/// The names of system fields in queries, in all spellings. The server rejects fields with these names (`SystemField`).
///
/// Keys of the record dictionary, such as `deleted`, are valid field names, because the fields are in a separate
/// dictionary.
let systemNames: Set<String> = [
    "recordName", "recordID",
    "createdTimestamp", "creationDate", "createdUserRecordName", "creatorUserRecordID",
    "modifiedTimestamp", "modificationDate", "modifiedUserRecordName", "lastModifiedUserRecordID",
    "recordChangeTag",
]
