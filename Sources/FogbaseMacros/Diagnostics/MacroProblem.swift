internal import SwiftDiagnostics

/// An incorrect use of one of the macros. The message says how to fix the problem.
enum MacroProblem: DiagnosticMessage {
    case notAStruct(macro: String, kind: String)
    case severalMacros
    case privateInside(type: String)
    case recordTypeIsNoLiteral(macro: String)
    case recordTypeIsNoName(String)
    case structIsNoRecordType(String, macro: String)
    case noFields(type: String)
    case unreadRecordType(member: String, recordType: String, macro: String, wanted: String?)
    case argumentBesideRecordType(String)

    case patternIsNoName
    case noTypeAndNoDefault(property: String)
    case unsuitableType(property: String, kind: String)
    case unknownAttribute(property: String, attribute: String)
    case unspeakable(property: String)
    case transientWithoutDefault(property: String)

    case fieldIsNoLiteral
    case fieldTwice(property: String)
    case fieldAndTransient(property: String)
    case nameIsNoFieldName(String)
    case propertyIsNoFieldName(String)
    case systemName(String)
    case oneNameTwice(String, first: String, second: String)

    case fieldIsNoProperty
    case transientIsNoProperty
    case markWithoutModel(String)

    var message: String {
        switch self {
        case .notAStruct(let macro, let kind):
            "@\(macro) goes on a struct, for a record is a value: make this \(kind) a struct"
        case .severalMacros:
            "Write @RecordCodable alone: it reads and writes, and several macros would write the same members twice"
        case .privateInside(let type):
            "Generated code stands outside the type around '\(type)' and cannot see it: make it fileprivate"
        case .recordTypeIsNoLiteral(let macro):
            "@\(macro) takes the record type's name as a string literal, as in @\(macro)(\"Post\")"
        case .recordTypeIsNoName(let name):
            "\"\(name)\" is no record type: \(Self.identifierRule)"
        case .structIsNoRecordType(let name, let macro):
            "'\(name)' is no record type: give one with @\(macro)(\"name\"); \(Self.identifierRule)"
        case .noFields(let type):
            "'\(type)' has no property that could be a field: give it a stored property"
        case .unreadRecordType(let member, let recordType, let macro, let wanted):
            "Nothing reads '\(member)': the record type is \"\(recordType)\". "
                + "To name another one, write @\(macro)(\"\(wanted ?? "name")\")"
        case .argumentBesideRecordType(let name):
            "Nothing reads \"\(name)\": the record type is that of the member 'recordType'. Remove one of the two"

        case .patternIsNoName:
            "A field needs a name of its own: declare each of these properties separately"
        case .noTypeAndNoDefault(let property):
            "'\(property)' has neither a type nor a default: write one, as in 'var \(property): String'"
        case .unsuitableType(let property, let kind):
            "No field holds \(kind): give '\(property)' another type, or mark it @Transient"
        case .unknownAttribute(let property, let attribute):
            "The macro cannot see what @\(attribute) makes of '\(property)': mark the property @Transient, "
                + "or remove @\(attribute)"
        case .unspeakable(let property):
            "No key path names a property called '\(property)': rename it, and keep the field's name with @Field"
        case .transientWithoutDefault(let property):
            "'\(property)' is no field, so a record cannot say what it is: give it a default"

        case .fieldIsNoLiteral:
            "@Field takes the field's name as a string literal, as in @Field(\"price\")"
        case .fieldTwice(let property):
            "'\(property)' has two field names: remove one @Field"
        case .fieldAndTransient(let property):
            "'\(property)' is @Transient, so there is no field to name: remove @Field or @Transient"
        case .nameIsNoFieldName(let name):
            "\"\(name)\" is no field name: \(Self.identifierRule)"
        case .propertyIsNoFieldName(let name):
            "'\(name)' is no field name: give one with @Field(\"name\"); \(Self.identifierRule)"
        case .systemName(let name):
            "'\(name)' is a name that every record has beside its fields: give the field another with @Field(\"name\")"
        case .oneNameTwice(let name, let first, let second):
            "'\(first)' and '\(second)' are both the field \"\(name)\": give one of them another name with @Field"

        case .fieldIsNoProperty:
            "@Field names the field of a stored property, and this is none that a record could set"
        case .transientIsNoProperty:
            "@Transient changes nothing here: only stored properties that can be set are fields"
        case .markWithoutModel(let mark):
            "Nothing reads @\(mark) here: the type around it has no @RecordCodable"
        }
    }

    var diagnosticID: MessageID {
        MessageID(domain: "FogbaseMacros", id: String(String(describing: self).prefix { $0 != "(" }))
    }

    var severity: DiagnosticSeverity {
        switch self {
        case .transientIsNoProperty, .markWithoutModel, .unreadRecordType, .argumentBesideRecordType: .warning
        default: .error
        }
    }

    private static let identifierRule = "a letter comes first, then letters, digits and underscores, 255 bytes at most"
}
