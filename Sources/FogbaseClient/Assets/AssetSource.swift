public import RecordModel

/// Where a file is read.
public struct AssetSource: Hashable, Sendable {
    enum Place: Hashable, Sendable {
        case address(String?)
        case field(path: [String], index: Int?)
    }

    let place: Place

    /// By the address that came with a record or an upload. It needs no rights, and is good for an hour or so; then read the
    /// record again.
    public static func asset(_ asset: Asset) -> AssetSource {
        AssetSource(place: .address(asset.downloadURL))
    }

    /// By a field of a record, an ASSET or BYTES; the caller's rights are looked at each time.
    ///
    /// - Parameters:
    ///   - field: The name of the field.
    ///   - recordType: The type of the record.
    ///   - name: The name of the record.
    ///   - index: Picks a member of a list, from 0.
    public static func field(_ field: String, of recordType: String, _ name: String, index: Int? = nil) -> AssetSource {
        AssetSource(place: .field(path: ["records", recordType, name, field], index: index))
    }

    /// The call that reads it.
    func call(_ query: [(name: String, value: String)] = []) throws -> Call {
        var call = Call("GET")
        switch place {
        case .address(nil):
            throw FogbaseError.invalidArgument("The asset has no address to be read at: read its record first")
        case .address(let address?):
            // The address is signed, and no token goes where it leads.
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
