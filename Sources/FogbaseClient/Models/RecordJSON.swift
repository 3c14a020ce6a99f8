public import Foundation
internal import RecordWire

/// Models as the JSON of records, for an app's own files: what `Database` sends and reads.
public enum RecordJSON {
    /// Writes a model as the body of a write: `{"fields":{…}}`.
    ///
    /// - Throws: `FogbaseError.invalidArgument` for a value that no field can have.
    public static func encode(_ model: some RecordEncodable) throws -> Data {
        var writer = FieldWriter(removesAbsent: false, head: "{\"fields\":{")
        try model.encode(fields: &writer)
        return Data(writer.text + [UInt8(ascii: "}"), UInt8(ascii: "}")])
    }

    /// Reads a record dictionary.
    ///
    /// - Throws: `FogbaseError.decoding` if a record does not fit the model, `FogbaseError.notFogbase` if it is none.
    public static func decode<Model: RecordDecodable>(
        _ type: Model.Type = Model.self, from data: Data
    ) throws -> Stored<Model> {
        try TransportResponse(status: 200, body: data).readRecord { try Stored(&$0) }
    }
}
