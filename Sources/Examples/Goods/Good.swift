import FogbaseClient
import Foundation

/// Something for sale.
@RecordCodable("Goods")
struct Good {
    var code: String
    var name: String
    /// The part of the price that the purchase takes, from 0 to 1.
    var costRate: Double
    var salesPrice: Int
    /// A file of its own beside the record, as large as it is: what a record itself holds ends at 1 MB. The server reads
    /// from the file how it is to be turned, so that no field has to say so.
    var image: Asset?
}

extension Good {
    /// How the image is to be turned to be upright, 1 to 8, as the camera has written it.
    var orientation: Int { Int(image?.picture?.orientation ?? 1) }
}
