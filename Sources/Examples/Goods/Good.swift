import FogbaseClient
import Foundation

/// A product.
@RecordCodable("Goods")
struct Good {
    var code: String
    var name: String
    /// The cost as a fraction of the price, from 0 to 1.
    var costRate: Double
    var salesPrice: Int
    /// A separate file, which may be larger than the 1 MB that a record can hold. The server reads the orientation from
    /// it, so no field has to store it.
    var image: Asset?
}

extension Good {
    /// The EXIF orientation of the image, 1 to 8, as the camera wrote it.
    var orientation: Int { Int(image?.picture?.orientation ?? 1) }
}
