package auth_test

import (
	"stoa/internal/testkit"
)

func register(email, username, password string) testkit.Request {
	return testkit.Post("", "/auth/register", map[string]string{
		"email": email, "username": username, "password": password,
	})
}

func changePassword(token, current, next string) testkit.Request {
	return testkit.Post(token, "/auth/change-password", map[string]string{
		"currentPassword": current, "newPassword": next,
	})
}
