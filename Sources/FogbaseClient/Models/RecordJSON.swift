public import Foundation
internal import RecordWire

/// Converts models to and from the JSON that the server sends and receives, for an app's own files.
public enum RecordJSON {
    /// Returns a model as JSON in the format of a write request's body: `{"fields":{…}}`.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if a field cannot store a value.
    public static func encode(_ model: some RecordEncodable) throws -> Data {
        var writer = FieldWriter(removesAbsent: false, head: "{\"fields\":{")
        try model.encode(fields: &writer)
        return Data(writer.text + [UInt8(ascii: "}"), UInt8(ascii: "}")])
    }

    /// Creates a model with metadata from a record in JSON, in the format of responses.
    ///
    /// - Throws: `FogbaseError.decoding` if the record does not fit the model; `notFogbase` if the data is not a
    ///   record.
    public static func decode<Model: RecordDecodable>(
        _ type: Model.Type = Model.self, from data: Data
    ) throws -> Stored<Model> {
        try TransportResponse(status: 200, body: data).readRecord { try Stored(&$0) }
    }
}
