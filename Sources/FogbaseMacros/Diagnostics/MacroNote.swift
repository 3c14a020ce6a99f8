internal import SwiftDiagnostics

/// A note that shows a second location of a problem.
enum MacroNote: NoteMessage {
    case otherField(String)

    var message: String {
        switch self {
        case .otherField(let name): "\"\(name)\" is taken here"
        }
    }

    var noteID: MessageID { MessageID(domain: "FogbaseMacros", id: "otherField") }
}
