package import RecordModel

/// One field of a request, before the check against the schema. Values are ranges of the request body.
package struct FieldInput: Sendable {
    /// The name as received, in NFC.
    package let name: String
    /// The form of the field.
    package let form: Form
    /// The `type` of the value, if the request contains one.
    package let tag: TypeTag?
    /// The position of the field's key in the body, for error messages.
    package let offset: Int

    /// The length in bytes of the value in the body; 0 if the request does not set the field to a value.
    var valueBytes: Int {
        if case .value(let token) = form { token.count } else { 0 }
    }

    /// Whether the request removes the field. If the type lacks the field, a removal has no effect.
    package var isRemoval: Bool {
        switch form {
        case .remove, .operation(.remove, _): true
        case .value, .operation: false
        }
    }

    /// Whether the result or the error depends on the present value of the field, or of the one that it copies.
    package var buildsOnValue: Bool {
        switch form {
        case .operation(.serverTime, _), .remove, .value: false
        case .operation: true
        }
    }

    /// The form of a field in a request.
    package enum Form: Hashable, Sendable {
        /// `null`, `{}` or `{"value":null}`.
        case remove
        /// A bare value, or the content of `value`.
        case value(JSONToken)
        case operation(FieldOperationKind, JSONToken)
    }
}

/// A type tag of a request.
package enum TypeTag: Hashable, Sendable {
    case type(FieldType)
    /// The tag `LIST` of CloudKit's older documentation: a list whose type is determined by its members.
    case anyList
}

/// The field operations, which the server computes from the present value when the write executes.
package enum FieldOperationKind: String, Hashable, Sendable, CaseIterable {
    case increment, append, appendUnique, remove, setIfAbsent, serverTime, copy

    /// The allowed forms of an object as a value, for error messages.
    static let objectRule =
        "An object is {\"value\":…} or one operation: " + allCases.map(\.rawValue).joined(separator: ", ")
}
