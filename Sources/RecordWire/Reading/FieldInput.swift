package import RecordModel

/// What a request says about one field, before the schema is asked. Values stay where they are in the body.
package struct FieldInput: Sendable {
    package let name: String
    package let form: Form
    /// The `type` that stands beside the value, if any.
    package let tag: TypeTag?
    /// Where the field's key stands in the body, for errors.
    package let offset: Int

    /// The bytes that a value to set takes in the body; 0 for anything else.
    var valueBytes: Int {
        if case .value(let token) = form { token.count } else { 0 }
    }

    /// Whether nothing is left to do where the type does not have the field.
    package var isRemoval: Bool {
        switch form {
        case .remove, .operation(.remove, _): true
        case .value, .operation: false
        }
    }

    /// Whether what comes out, or how it fails, depends on the value so far.
    package var buildsOnValue: Bool {
        switch form {
        case .operation(.serverTime, _), .remove, .value: false
        case .operation: true
        }
    }

    package enum Form: Hashable, Sendable {
        /// `null`, `{}` or `{"value":null}`.
        case remove
        /// A bare value, or what stands under `value`.
        case value(JSONToken)
        case operation(FieldOperationKind, JSONToken)
    }
}

/// A type tag of a request.
package enum TypeTag: Hashable, Sendable {
    case type(FieldType)
    /// `LIST`, from CloudKit's older documents: a list of whatever its members are.
    case anyList
}

/// The operations that change a field from what it is when the write happens.
package enum FieldOperationKind: String, Hashable, Sendable, CaseIterable {
    case increment, append, appendUnique, remove, setIfAbsent, serverTime

    /// What an object in the place of a value may be, for errors.
    static let objectRule =
        "An object is {\"value\":…} or one operation: " + allCases.map(\.rawValue).joined(separator: ", ")
}
