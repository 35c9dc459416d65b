module stoa.example/sdk/go

go 1.22
