internal import RecordWire

/// A model with what the server knows of its record. Its properties can be read and changed as if they were the wrapper's
/// own: `stored.title = "sea"`.
@dynamicMemberLookup
public struct Stored<Model: Sendable>: Sendable {
    /// What the server knows of the record: name, version, times, and who wrote it.
    public var metadata: RecordMetadata
    /// The model as it was read, so that a save can send what has changed since, and a conflict can be merged.
    package let original: Model
    /// The model as the app has changed it; most are only read.
    private var changed: Model?

    /// Puts together what an app has kept elsewhere.
    public init(_ model: Model, metadata: RecordMetadata) {
        self.metadata = metadata
        original = model
    }

    /// The fields, to read and to change; `save` sends what has changed.
    public var model: Model {
        get { changed ?? original }
        set { changed = newValue }
    }

    /// The name of the record, unique over all types.
    public var id: String { metadata.name }

    /// A property of the model, as if the record had it.
    public subscript<Value>(dynamicMember path: WritableKeyPath<Model, Value>) -> Value {
        get { model[keyPath: path] }
        set { model[keyPath: path] = newValue }
    }

    /// A property of the model, as if the record had it, to read and to set.
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

extension Stored where Model: RecordDecodable {
    /// Reads the record at which a scanner stands.
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
