// SPDX-License-Identifier: Apache-2.0

module stoa.example/sdk/go

go 1.22
