internal import RecordWire

/// A model together with the metadata of its record.
///
/// The model's properties can be read and changed directly: `stored.title = "sea"`.
///
/// If the model is `Codable`, so is the stored model, with both of its states: the one that was read, and the app's changes. So a
/// change that was made offline can be saved after the next start of the app.
@dynamicMemberLookup
public struct Stored<Model: Sendable>: Sendable {
    /// The system fields of the record: name, version, times and users.
    public var metadata: RecordMetadata
    /// The model as it was read. A save compares the current model with it, and a conflict reports it.
    package let original: Model
    /// The changed model. It is `nil` until the first change, to avoid a copy.
    private var changed: Model?

    /// Creates a stored model from a model as it was read, and its metadata.
    ///
    /// An app that keeps the two states of a changed record itself passes the state that was read, and then assigns the
    /// changed one to ``model``. A save would find no change otherwise.
    public init(_ model: Model, metadata: RecordMetadata) {
        self.metadata = metadata
        original = model
    }

    /// The model with the app's changes. `save` sends the properties that have changed.
    public var model: Model {
        get { changed ?? original }
        set { changed = newValue }
    }

    /// The record name, unique over all record types.
    public var id: String { metadata.name }

    /// A property of the model.
    public subscript<Value>(dynamicMember path: WritableKeyPath<Model, Value>) -> Value {
        get { model[keyPath: path] }
        set { model[keyPath: path] = newValue }
    }

    /// A read-only property of the model.
    public subscript<Value>(dynamicMember path: KeyPath<Model, Value>) -> Value {
        model[keyPath: path]
    }
}

extension Stored: Identifiable {}

extension Stored: Equatable where Model: Equatable {
    public static func == (left: Stored, right: Stored) -> Bool {
        left.model == right.model && left.metadata == right.metadata
    }
}

extension Stored: Hashable where Model: Hashable {
    public func hash(into hasher: inout Hasher) {
        hasher.combine(model)
        hasher.combine(metadata)
    }
}

private enum StoredKeys: String, CodingKey {
    case metadata, original, changed
}

extension Stored: Encodable where Model: Encodable {
    /// Encodes the metadata, the model as it was read, and the changed model if there is one.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: StoredKeys.self)
        try container.encode(metadata, forKey: .metadata)
        try container.encode(original, forKey: .original)
        try container.encodeIfPresent(changed, forKey: .changed)
    }
}

extension Stored: Decodable where Model: Decodable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: StoredKeys.self)
        metadata = try container.decode(RecordMetadata.self, forKey: .metadata)
        original = try container.decode(Model.self, forKey: .original)
        changed = try container.decodeIfPresent(Model.self, forKey: .changed)
    }
}

extension Stored where Model: RecordDecodable {
    /// Reads the scanner's current record.
    ///
    /// - Throws: `FogbaseError.decoding` if the record does not fit the model.
    init(_ scanner: inout RecordScanner) throws {
        var reader = FieldReader(scanner.fields)
        do {
            let model = try Model(fields: &reader)
            self.init(model, metadata: RecordMetadata(scanner.takeHead(), type: Model.recordType))
        } catch let error as FogbaseError {
            throw error.about(scanner.head.recordName)
        }
    }
}

extension RecordScanner {
    /// Reads the current record as a model. If the record does not fit the model, the result is a failure.
    mutating func result<Model: RecordDecodable>() throws -> Result<Stored<Model>, FogbaseError> {
        do {
            return .success(try Stored(&self))
        } catch let error as FogbaseError {
            return .failure(error)
        }
    }
}
