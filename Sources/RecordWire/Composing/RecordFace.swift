/// The protocol in which records and errors are written.
package enum RecordFace: Sendable {
    /// The server's own protocol.
    case native
    /// CloudKit's protocol.
    case cloudKit(CloudKitFace)

    /// The settings of CloudKit's protocol; `nil` for the server's own.
    package var cloudKit: CloudKitFace? {
        if case .cloudKit(let face) = self { face } else { nil }
    }
}

/// How the records and errors of one response of CloudKit's protocol are written.
///
/// A class, so that passing on the face of a native request costs no more than a null pointer.
package final class CloudKitFace: Sendable {
    /// The `zoneID` of the records in a response.
    package enum Zone: Sendable {
        /// Records of default zones have no `zoneID`.
        case none
        /// All records are in one zone, whose dictionary this is as JSON.
        case one([UInt8])
        /// Each record has its own zone. The zones have an owner with this record name.
        case ofRecords(owner: String?)

        /// The dictionary of the only zone; `nil` otherwise.
        package var json: [UInt8]? { if case .one(let json) = self { json } else { nil } }
    }

    /// The `zoneID` of each record.
    package let zone: Zone
    /// Whether INT64 and DOUBLE values are strings. TIMESTAMP values stay numbers.
    package let numbersAsStrings: Bool
    /// The ID of the request, for the `uuid` of errors; see `CloudKitUUID`.
    package let requestID: String
    /// The page on which a user can sign in, for errors; `nil` to leave it out.
    package let redirectURL: String?
    /// The URL of the server as the client uses it, such as `https://example.org`, for the URLs of assets.
    package let baseURL: String
    /// The fields of each item of the request that names its own, in the order of the items. Items beyond the end name
    /// none.
    package let desiredKeys: [[String]?]

    /// Creates a face for one response.
    package init(
        requestID: String, baseURL: String, zone: Zone = .none, numbersAsStrings: Bool = false,
        redirectURL: String? = nil,
        desiredKeys: [[String]?] = []
    ) {
        self.zone = zone
        self.numbersAsStrings = numbersAsStrings
        self.requestID = requestID
        self.redirectURL = redirectURL
        self.baseURL = baseURL
        self.desiredKeys = desiredKeys
    }

    /// Returns the fields that an item of the request names; `nil` if it names none.
    package func desiredKeys(at position: Int) -> [String]? {
        position < desiredKeys.count ? desiredKeys[position] : nil
    }
}
