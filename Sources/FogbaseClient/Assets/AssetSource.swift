public import RecordModel

/// The source of a file to download: an asset's URL or a record's field.
public struct AssetSource: Hashable, Sendable {
    enum Place: Hashable, Sendable {
        case address(String?)
        case field(path: [String], index: Int?)
    }

    let place: Place

    /// Returns the source of a file at the signed URL in `asset`, which a record or an upload returned.
    ///
    /// The URL requires no permission and expires after about an hour. To get a new URL, read the record again.
    public static func asset(_ asset: Asset) -> AssetSource {
        AssetSource(place: .address(asset.downloadURL))
    }

    /// Returns the source of a file in a record's field of type ASSET or BYTES. The server checks the caller's
    /// permissions on each request.
    ///
    /// - Parameters:
    ///   - field: The name of the field.
    ///   - recordType: The type of the record.
    ///   - name: The name of the record.
    ///   - index: The index of a list member, from 0; `nil` if the field is not a list.
    public static func field(_ field: String, of recordType: String, _ name: String, index: Int? = nil) -> AssetSource {
        AssetSource(place: .field(path: ["records", recordType, name, field], index: index))
    }

    /// Returns the call that reads the file.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if the asset has no URL, or the record name is not valid.
    func call(_ query: [(name: String, value: String)] = []) throws -> Call {
        var call = Call("GET")
        switch place {
        case .address(nil):
            throw FogbaseError.invalidArgument("The asset has no address to be read at: read its record first")
        case .address(let address?):
            // The URL is signed and can refer to another host, which must not receive the token.
            call.needsToken = false
            let parameters = query.map { Connection.encode($0.name) + "=" + Connection.encode($0.value) }
            let separator = address.contains("?") ? "&" : "?"
            call.address = address + (parameters.isEmpty ? "" : separator + parameters.joined(separator: "&"))
        case .field(let path, let index):
            call.path = path
            _ = try Database.checked(path[2])
            call.query = query
            if let index { call.query.append(("index", String(index))) }
        }
        return call
    }
}
