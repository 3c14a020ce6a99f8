internal import Geography
package import RecordModel

extension QueryArgument {
    /// The argument in the form that `QueryInput.argument` reads. Values of types that predicates cannot compare have
    /// lost their content and become `null`.
    package var json: JSONValue {
        switch self {
        case .null, .bytes, .asset: .null
        case .location(let place): ["latitude": .double(place.latitude), "longitude": .double(place.longitude)]
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .double(let value): .double(value)
        case .string(let text): .string(text)
        case .timestamp(let value): ["value": .integer(value), "type": "TIMESTAMP"]
        case .reference(let name): ["recordName": .string(name)]
        case .list(let members): .array(members.map(\.json))
        }
    }
}
