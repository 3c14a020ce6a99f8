// Apps use the types of field values, such as `Asset`, `Location` and `Reference`. These types are in a module that
// client and server share. With this re-export, an app needs only `import FogbaseClient`.
@_exported public import RecordModel
