internal import Cryptography
package import RecordModel
internal import Encodings
internal import RecordStorage
internal import Threads

/// The field of the record that an upload is for.
package struct UploadTarget: Hashable, Sendable {
    /// The record's type.
    package var recordType: RecordTypeName
    /// The field of type ASSET or ASSET_LIST.
    package var fieldName: FieldName
    /// The record's name.
    package var recordName: RecordName

    /// Creates a target.
    package init(recordType: RecordTypeName, fieldName: FieldName, recordName: RecordName) {
        self.recordType = recordType
        self.fieldName = fieldName
        self.recordName = recordName
    }
}

/// The permission to upload one file for a target, as part of a URL that needs no other credential.
///
/// The permission is sealed. The plain text is the following values; texts end at a zero byte, which no name contains:
///
/// ```text
/// version  expires                 caller: kind, number  scope, owner    zone, type, field, record
/// 1 byte   8 bytes, milliseconds   8 bytes each          8 bytes each    texts
/// ```
struct UploadPermission: Hashable {
    var caller: StoredCaller?
    var address: DatabaseAddress
    var target: UploadTarget
    /// In milliseconds since 1970.
    var expires: Int64

    private static let version: UInt8 = 1
    /// The kind of an anonymous caller, which `StoredCaller` lacks.
    private static let anonymous: Int64 = -1
    private static let numbersEnd = 1 + 5 * 8

    /// Returns the sealed form, in base64url.
    func seal(with keys: DatabaseKeys) -> String {
        var plain: [UInt8] = [Self.version]
        let key = address.key
        for number in [
            expires, caller?.kind ?? Self.anonymous, caller?.number ?? 0, key.scope, key.owner.rawValue,
        ] {
            withUnsafeBytes(of: number.bigEndian) { plain.append(contentsOf: $0) }
        }
        plain += target.texts(in: address)
        return Base64URL.encode(keys.uploadURLs.seal(plain, context: []))
    }

    init(caller: Caller, address: DatabaseAddress, target: UploadTarget, expires: Int64) {
        self.caller = StoredCaller(caller, actorKind: "", actor: "")
        self.address = address
        self.target = target
        self.expires = expires
    }

    /// Opens a sealed form; `nil` if this server did not make it.
    init?(_ text: String, with keys: DatabaseKeys) {
        guard text.utf8.count <= 4_096, let sealed = Base64URL.decode(text),
            let plain = keys.uploadURLs.open(sealed, context: []), plain.count > Self.numbersEnd,
            plain[0] == Self.version
        else { return nil }
        let numbers = (0..<5).map { index in
            plain[(1 + index * 8)..<(9 + index * 8)].reduce(0) { $0 << 8 | Int64($1) }
        }
        let texts = plain[Self.numbersEnd...].split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        guard texts.count == 4,
            let address = StoredAddress(scope: numbers[3], owner: UserID(rawValue: numbers[4]), zone: texts[0]).address,
            let type = RecordTypeName(texts[1]), let field = FieldName(texts[2]), let name = RecordName(texts[3])
        else { return nil }
        expires = numbers[0]
        caller =
            numbers[1] == Self.anonymous
            ? nil : StoredCaller(kind: numbers[1], number: numbers[2], actorKind: "", actor: "")
        self.address = address
        target = UploadTarget(recordType: type, fieldName: field, recordName: name)
    }
}

extension UploadTarget {
    /// The names of zone, type, field and record, each with a zero byte behind it.
    func texts(in address: DatabaseAddress) -> [UInt8] {
        [address.zone.text, recordType.text, fieldName.text, recordName.text].flatMap { Array($0.utf8) + [0] }
    }
}

extension AssetReader {
    /// The lifetime of an upload URL in milliseconds (CloudKit Web Services Reference, "Uploading Assets").
    package static let uploadMilliseconds: Int64 = 15 * 60 * 1_000

    /// Returns a new name for a record.
    package static func makeRecordName() -> RecordName {
        var random = RandomPool()
        guard let name = RecordName(random.makeUUIDv7(milliseconds: WallClock.milliseconds)) else {
            preconditionFailure("A UUID is a record name")
        }
        return name
    }

    /// Returns the permission for a caller to upload one file, as a segment of a URL.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED.
    package func permitUpload(
        to target: UploadTarget, in address: DatabaseAddress, for caller: Caller
    ) throws(RecordError) -> String {
        try allowUploading(caller, to: address)
        return UploadPermission(
            caller: caller, address: address, target: target, expires: WallClock.milliseconds + Self.uploadMilliseconds
        ).seal(with: database.keys)
    }

    /// Returns the upload that a permission allows, with the current permissions of its caller.
    ///
    /// - Throws: NOT_FOUND for a permission that has expired or that this server did not give; AUTHENTICATION_FAILED if
    ///   the caller's account or key has ended.
    package func permittedUpload(_ permission: String) throws(RecordError) -> AssetUpload {
        guard let open = UploadPermission(permission, with: database.keys), open.expires > WallClock.milliseconds else {
            throw .uploadURLInvalid
        }
        let caller = open.caller?.caller ?? .anonymous
        guard open.caller == nil || caller != .anonymous else { throw .uploadURLInvalid }
        var upload = AssetUpload(
            caller: try reader.callers.current(caller, in: open.address), address: open.address)
        upload.target = open.target
        return upload
    }
}

extension RecordError {
    /// The error for an upload URL that has expired or was not made by this server.
    static let uploadURLInvalid = RecordError(
        .notFound,
        "The upload URL has expired, or is not one that this server has made. Ask assets/upload for a new one",
        cause: .tokenInvalid)
}
